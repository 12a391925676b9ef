#pragma once

#include "backend/backend.h"
#include "backend/kernel.h"

namespace cairn {

// What the synchronise says that covers a kernel with such an index; `name` is the operator's.
Fault index_fault(const char* name, const IndexFault& fault);

// The same of anything else in a stream that failed with an exception.
Fault task_fault(const char* name, const char* reason) noexcept;

// Thrown by a stream that takes no more work.
DeviceError ended_stream(bool process_is_ending);

// A wait in a stream that was given up.
Fault wait_fault(std::int64_t timeout_ms);

}  // namespace cairn
