#pragma once

#include <cxxabi.h>

#include <exception>
#include <optional>

#include "backend/backend.h"
#include "backend/kernel.h"

namespace cairn {

// What the synchronise says that covers a kernel with such an index; `name` is the operator's.
Fault index_fault(const char* name, const IndexFault& fault);

// The same of anything else in a stream that failed with an exception.
Fault task_fault(const char* name, const char* reason) noexcept;

// What work() returns, or why it threw. pthread_exit unwinds with a null reference to its exception, which
// UBSan would report; g++ forgets the attribute of a function that it inlines.
template <typename Work>
[[gnu::noinline]] __attribute__((no_sanitize("null"))) std::optional<Fault> guarded(const char* name,
                                                                                    const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return task_fault(name, error.what());
  } catch (const abi::__forced_unwind&) {
    throw;  // pthread_exit: to swallow it would end the process
  } catch (...) {
    return task_fault(name, "an exception that is not a std::exception");
  }
}

// Thrown by a stream that takes no more work.
DeviceError ended_stream(bool process_is_ending);

// A wait in a stream that was given up.
Fault wait_fault(std::int64_t timeout_ms);

}  // namespace cairn
