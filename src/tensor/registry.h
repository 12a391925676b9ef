#pragma once

#include <exception>
#include <locale>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "aclnn/acl_meta.h"
#include "aclnn/opdev/op_errno.h"
#include "common/handle_table.h"
#include "common/no_cancel.h"
#include "common/status.h"
#include "observe/observer.h"
#include "tensor/bridge.h"

namespace cairn {

// Every live object of this library.
HandleTable& objects();

// "an aclTensor", "an aclIntArray", … or "no live object".
const char* describe(const void* handle);

std::shared_ptr<const TensorDesc> find_tensor(const aclTensor* handle);
// Gives the tensor another storage base.
Status set_address(const char* function, const aclTensor* tensor, void* address);

// The words of a message; none when there is no memory left for them, since the status still has to go out.
template <typename... Parts>
std::string text(const Parts&... parts) noexcept {
  try {
    std::ostringstream stream;
    stream.imbue(std::locale::classic());  // the program's own may put dots into numbers
    (stream << ... << parts);
    return std::move(stream).str();
  } catch (const std::bad_alloc&) {
    return {};
  }
}

// Each reports its message, which begins with the name of the function that was called, and returns the
// status.
Status fail(const char* function, Status status, std::string_view message);
Status null_argument(const char* function, const char* argument);
Status wrong_handle(const char* function, const char* argument, const void* handle, HandleKind expected);

// Puts the object behind a new handle; null, with a message, when every handle is taken.
template <typename Handle>
Handle* publish(const char* function, HandleKind kind, std::shared_ptr<void> object) {
  void* handle = objects().insert(kind, std::move(object));
  if (handle == nullptr)
    fail(function, ACLNN_ERR_INNER, "too many live objects: destroy those that are no longer used");
  if (Observer* watcher = observer(); watcher != nullptr && handle != nullptr) watcher->made(kind, handle);
  return static_cast<Handle*>(handle);
}

// Ends a live object; null is nothing to end.
Status destroy(const char* function, HandleKind kind, const char* argument, const void* handle);

// No exception leaves through a C function: memory that ran out becomes a message and `otherwise`.
template <typename Result, typename Body>
Result guarded(const char* function, Result otherwise, Body body) noexcept {
  const NoCancellation guard;
  try {
    return body();
  } catch (const std::exception&) {
    fail(function, ACLNN_ERR_INNER, "out of host memory");
    return otherwise;
  }
}

}  // namespace cairn
