#pragma once

#include <memory>

#include "acl/acl_rt.h"
#include "runtime/state.h"

namespace cairn {

// The stream behind `handle` (null: the current context's default stream) when this thread may use it; else
// the reason is reported.
Status use_stream(const Call& call, aclrtStream handle, std::shared_ptr<Stream>& stream);

// The same for a call that is about to queue something: a fault that the device has already told of on a
// wrapped stream is answered first.
Status begin_work(const Call& call, aclrtStream handle, std::shared_ptr<Stream>& stream);

// The status a synchronise answers, reported.
Status outcome(const Call& call, const Synchronised& synchronised, Status on_timeout,
               std::int64_t timeout_ms);

// Waits for what is queued now; faults stay for the next synchronise.
WaitResult wait_for_all(const Stream& stream);
Synchronised synchronise(const Stream& stream, std::int64_t timeout_ms);
bool is_idle(const Stream& stream);

// Waits for every stream of the current context's device.
Status synchronise_device(const Call& call, std::int64_t timeout_ms);

}  // namespace cairn
