#include "runtime/synchronise.h"

#include <algorithm>
#include <chrono>

#include "observe/observer.h"

namespace cairn {

Status use_stream(const Call& call, aclrtStream handle, std::shared_ptr<Stream>& stream) {
  State& state = State::get();
  if (handle != nullptr) {
    stream = state.handles().find<Stream>(handle, HandleKind::kStream);
    if (stream == nullptr)
      return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %p is not a live stream", handle);
    if (stream->free_standing) return ACL_SUCCESS;
  }
  const std::shared_ptr<Context> context = state.current_context();
  if (context == nullptr) return call.no_context();
  if (handle == nullptr) {
    stream = context->default_stream;
  } else if (stream->context.lock() != context) {
    return call.fail(ACL_ERROR_RT_STREAM_CONTEXT, "stream %p belongs to another context than the current one",
                     handle);
  }
  return ACL_SUCCESS;
}

Status begin_work(const Call& call, aclrtStream handle, std::shared_ptr<Stream>& stream) {
  if (const Status status = use_stream(call, handle, stream)) return status;
  const std::optional<Fault> fault = stream->queue->take_known_fault();
  if (!fault) return ACL_SUCCESS;
  return call.fail(fault->status, "%s (reported before anything else is queued on this stream)",
                   fault->message.c_str());
}

Status outcome(const Call& call, const Synchronised& synchronised, Status on_timeout,
               std::int64_t timeout_ms) {
  if (synchronised.fault)
    return call.fail(synchronised.fault->status, "%s", synchronised.fault->message.c_str());
  switch (synchronised.result) {
    case WaitResult::kDone:
      return ACL_SUCCESS;
    case WaitResult::kTimedOut:
      return call.fail(on_timeout, "not finished after %lld ms", static_cast<long long>(timeout_ms));
    case WaitResult::kEnding:
      return call.fail(ACL_ERROR_RT_STREAM_ABORT,
                       "the process is ending: exit has begun, and what was queued was not all done");
    case WaitResult::kSelf:
      break;
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "a host function cannot wait for the stream it runs on");
}

namespace {

// What a wait that has returned lets the host know, for tools.
class Learning {
 public:
  explicit Learning(const Stream& stream)
      : observer_(observer()),
        stream_(stream.id),
        position_(observer_ == nullptr ? 0 : observer_->position(stream_)) {}

  void done(WaitResult result) const {
    if (observer_ != nullptr && result == WaitResult::kDone) observer_->host_knows(stream_, position_);
  }
  void done(const Synchronised& synchronised) const {
    done(synchronised.result);
    if (observer_ == nullptr || !synchronised.fault) return;
    const Fault& fault = *synchronised.fault;
    observer_->faulted(fault.call, stream_, fault.status, fault.message);
  }

 private:
  Observer* const observer_;
  const std::int32_t stream_;
  const std::uint64_t position_;
};

}  // namespace

WaitResult wait_for_all(const Stream& stream) {
  const Learning learning(stream);
  const WaitResult result = stream.queue->wait();
  learning.done(result);
  return result;
}

Synchronised synchronise(const Stream& stream, std::int64_t timeout_ms) {
  const Learning learning(stream);
  Synchronised result = stream.queue->synchronise(timeout_ms);
  learning.done(result);
  return result;
}

bool is_idle(const Stream& stream) {
  const Learning learning(stream);
  const bool idle = stream.queue->idle();
  if (idle) learning.done(WaitResult::kDone);
  return idle;
}

Status synchronise_device(const Call& call, std::int64_t timeout_ms) {
  using Clock = std::chrono::steady_clock;
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  const Clock::time_point begin = Clock::now();
  Synchronised all;
  for (const std::shared_ptr<Stream>& stream :
       State::get().streams_of_device(context->backend, context->device)) {
    const std::int64_t spent =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count();
    const std::int64_t left = timeout_ms < 0 ? kForever : std::max<std::int64_t>(0, timeout_ms - spent);
    Synchronised one = synchronise(*stream, left);
    if (all.result == WaitResult::kDone) all.result = one.result;
    if (!one.fault) continue;
    if (all.fault) {
      log(LogLevel::kError, one.fault->message);
    } else {
      all.fault = std::move(one.fault);
    }
  }
  return outcome(call, all, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, timeout_ms);
}

}  // namespace cairn
