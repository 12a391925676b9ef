#include "backend/fault.h"

#include "acl/acl_base.h"

namespace cairn {

Fault index_fault(const char* name, const IndexFault& fault) {
  const std::string valid = fault.plane_size > 0 ? "0 to " + std::to_string(fault.plane_size - 1) +
                                                       " (or -1 for a window without a source)"
                                                 : "-1, since the plane is empty";
  return {ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, std::string(name) + ": indices[" +
                                                  std::to_string(fault.position) + "] is " +
                                                  std::to_string(fault.value) + ", expected " + valid};
}

Fault task_fault(const char* name, const char* reason) {
  return {ACL_ERROR_RT_INTERNAL_ERROR, std::string(name) + " failed in its stream: " + reason};
}

Fault wait_fault(std::int64_t timeout_ms) {
  return {ACL_ERROR_RT_WAIT_TIMEOUT,
          "the event a stream waited for was not reached within " + std::to_string(timeout_ms) + " ms"};
}

}  // namespace cairn
