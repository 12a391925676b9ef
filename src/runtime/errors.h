#pragma once

#include <exception>
#include <new>
#include <string_view>
#include <system_error>

#include "acl/acl_base.h"
#include "backend/backend.h"
#include "backend/ending.h"
#include "common/fp_mode.h"
#include "common/no_cancel.h"
#include "common/status.h"

namespace cairn {

enum class LogLevel { kOff, kError, kWarn, kInfo };

// What CAIRN_LOG asks for; anything else warns and counts as warn.
LogLevel log_level_from_environment();
bool log_enabled(LogLevel level);
// One line on stderr, when CAIRN_LOG asks for this level.
void log(LogLevel level, std::string_view message);

// Makes `message` pending for aclGetRecentErrMsg, and logs it.
void report(Status status, std::string_view message);

// One call of an API function, as its messages name it.
class Call {
 public:
  explicit Call(const char* function) : function_(function) {}

  // Sets the thread's last error and its pending text; returns `status`.
  Status fail(Status status, const char* format, ...) const __attribute__((format(printf, 3, 4)));
  Status null(const char* argument) const;
  Status no_context() const;

 private:
  const char* function_;
};

// The C boundary: no exception leaves the library, and the thread's floating-point mode is what it was, with
// its flags. Drivers and launchers compute, too, and the program may have unmasked traps.
template <typename Body>
Status entry_at_any_time(const char* function, Body body) noexcept {
  const NoCancellation guard;
  const DefaultFpMode mode;
  const Call call(function);
  try {
    return body(call);
  } catch (const std::bad_alloc&) {
    return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host is out of memory");
  } catch (const DeviceError& error) {
    return call.fail(error.status(), "%s", error.what());
  } catch (const std::system_error& error) {
    return call.fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
                     "the system refused a thread or lock that the call needs: %s", error.what());
  } catch (const std::exception& error) {
    return call.fail(ACL_ERROR_RT_INTERNAL_ERROR, "%s", error.what());
  }
}

// A driver registers handlers for the process's end as its parts come into use, and ours must run before
// them: it is registered again, ever more seldom.
void keep_end_handler_last();

// The same for a function that may need the device.
template <typename Body>
Status entry(const char* function, Body body) noexcept {
  const CountedCall counted;
  return entry_at_any_time(function, [&](const Call& call) -> Status {
    if (counted.comes_too_late()) {
      return call.fail(ACL_ERROR_RT_STREAM_ABORT,
                       "the process is ending: exit has begun, and the device takes no more calls");
    }
    const Status status = body(call);
    if (counted.is_counted()) keep_end_handler_last();
    return status;
  });
}

}  // namespace cairn
