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

// Waits for every stream of the current context's device.
Status synchronise_device(const Call& call, std::int64_t timeout_ms);

}  // namespace cairn
