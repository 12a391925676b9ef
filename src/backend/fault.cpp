#include "backend/fault.h"

#include <new>

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

Fault task_fault(const char* name, const char* reason) noexcept {
  Fault fault{ACL_ERROR_RT_INTERNAL_ERROR, {}};
  try {
    fault.message = std::string(name) + " failed in its stream: " + reason;
  } catch (const std::bad_alloc&) {
    // Without memory for its words the status alone must do.
  }
  return fault;
}

DeviceError ended_stream(bool process_is_ending) {
  if (process_is_ending) {
    return {ACL_ERROR_RT_STREAM_ABORT, "the process is ending: exit has begun, and this was not done"};
  }
  return {ACL_ERROR_RT_INVALID_HANDLE, "the stream was destroyed while this call was under way"};
}

Fault wait_fault(std::int64_t timeout_ms) {
  return {ACL_ERROR_RT_WAIT_TIMEOUT,
          "the event a stream waited for was not reached within " + std::to_string(timeout_ms) + " ms"};
}

}  // namespace cairn
