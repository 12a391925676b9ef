#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/in_order.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

constexpr std::uint32_t kSupported = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE;
constexpr std::uint32_t kUnsupported = ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL | ACL_EVENT_IPC;

Status create_event(const Call& call, aclrtEvent* handle, std::uint32_t flags, bool reusable) {
  if (handle == nullptr) return call.null("event");
  if (flags == 0 || (flags & ~(kSupported | kUnsupported)) != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag is 0x%x, expected one or more ACL_EVENT flags", flags);
  }
  if ((flags & kUnsupported) != 0 && (flags & (flags - 1)) != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                     "flag is 0x%x; DEVICE_USE_ONLY, EXTERNAL and IPC cannot be joined with others", flags);
  }
  if ((flags & kUnsupported) != 0) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "flag is 0x%x; DEVICE_USE_ONLY, EXTERNAL and IPC events are not supported", flags);
  }
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  auto event = std::make_shared<Event>(
      Event{context->backend->create_event(context->device), context->backend, flags, reusable});
  void* inserted = State::get().handles().insert(HandleKind::kEvent, std::move(event));
  if (inserted == nullptr)
    return call.fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "there are too many live objects");
  if (Observer* watcher = observer()) watcher->made(HandleKind::kEvent, inserted);
  *handle = inserted;
  return ACL_SUCCESS;
}

Status use_event(const Call& call, const char* argument, aclrtEvent handle, std::shared_ptr<Event>& event) {
  if (handle == nullptr) return call.null(argument);
  event = State::get().handles().find<Event>(handle, HandleKind::kEvent);
  if (event != nullptr) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "%s %p is not a live event", argument, handle);
}

Status use_both(const Call& call, aclrtEvent event_handle, aclrtStream stream_handle,
                std::shared_ptr<Event>& event, std::shared_ptr<Stream>& stream) {
  if (const Status status = use_event(call, "event", event_handle, event)) return status;
  if (const Status status = begin_work(call, stream_handle, stream)) return status;
  if (event->backend == stream->backend) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_STREAM_CONTEXT,
                   "event %p is one of the %s backend, stream %p of the %s backend", event_handle,
                   event->backend->name(), stream_handle, stream->backend->name());
}

void host_knows(aclrtEvent event) {
  if (Observer* watcher = observer()) watcher->host_knows_event(event);
}

Status wait_in_stream(const Call& call, aclrtStream stream_handle, aclrtEvent event_handle,
                      std::int64_t timeout_ms) {
  std::shared_ptr<Event> event;
  std::shared_ptr<Stream> stream;
  if (const Status status = use_both(call, event_handle, stream_handle, event, stream)) return status;
  if ((event->flags & ACL_EVENT_SYNC) == 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "event %p was created without ACL_EVENT_SYNC", event_handle);
  }
  const InOrder in_order(*stream, WorkKind::kWait, event_handle);
  return event->event->make_wait(*stream->queue, timeout_ms);
}

Status synchronise_event(const Call& call, aclrtEvent handle, std::int64_t timeout_ms) {
  std::shared_ptr<Event> event;
  if (const Status status = use_event(call, "event", handle, event)) return status;
  const Synchronised synchronised = event->event->synchronise(timeout_ms);
  if (synchronised.result == WaitResult::kDone) host_knows(handle);
  if (Observer* watcher = observer(); watcher != nullptr && synchronised.fault)
    watcher->faulted(synchronised.fault->call, -1, synchronised.fault->status, synchronised.fault->message);
  return outcome(call, synchronised, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, timeout_ms);
}

// An event of the plain kind that was never recorded has not been reached; an Ex one has nothing to wait for.
bool complete(aclrtEvent handle, const Event& event) {
  if (!event.event->complete() || (!event.reusable && !event.event->recorded())) return false;
  host_knows(handle);
  return true;
}

Status check_timeout(const Call& call, std::int32_t timeout) {
  if (timeout >= -1) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "timeout is %d, expected -1 (for ever) or milliseconds",
                   timeout);
}

Status use_timed_event(const Call& call, const char* argument, aclrtEvent handle,
                       std::shared_ptr<Event>& event) {
  if (const Status status = use_event(call, argument, handle, event)) return status;
  if ((event->flags & ACL_EVENT_TIME_LINE) == 0) {
    return call.fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s %p was created without ACL_EVENT_TIME_LINE",
                     argument, handle);
  }
  if (event->event->recorded() && event->event->complete()) {
    host_knows(handle);
    return ACL_SUCCESS;
  }
  return call.fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "%s %p has not been recorded, or not reached yet",
                   argument, handle);
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::Status;
using cairn::use_event;

aclError aclrtCreateEvent(aclrtEvent* event) {
  CAIRN_WATCH(event);
  return entry(__func__,
               [&](const Call& call) { return cairn::create_event(call, event, cairn::kSupported, false); });
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  CAIRN_WATCH(event, flag);
  return entry(__func__, [&](const Call& call) { return cairn::create_event(call, event, flag, false); });
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  CAIRN_WATCH(event, flag);
  return entry(__func__, [&](const Call& call) { return cairn::create_event(call, event, flag, true); });
}

aclError aclrtDestroyEvent(aclrtEvent event) {
  CAIRN_WATCH(event);
  return entry(__func__, [&](const Call& call) {
    if (event == nullptr) return call.null("event");
    if (cairn::State::get().handles().remove(event, cairn::HandleKind::kEvent) != nullptr) {
      if (cairn::Observer* watcher = cairn::observer()) watcher->ended(cairn::HandleKind::kEvent, event);
      return ACL_SUCCESS;
    }
    return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "event %p is not a live event", event);
  });
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  CAIRN_WATCH(event, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    std::shared_ptr<cairn::Event> found;
    std::shared_ptr<cairn::Stream> queue;
    if (const Status refused = cairn::use_both(call, event, stream, found, queue)) return refused;
    const cairn::InOrder in_order(*queue, cairn::WorkKind::kRecord, event);
    return found->event->record(*queue->queue);
  });
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  CAIRN_WATCH(event, stream);
  return entry(__func__, [&](const Call& call) -> Status {
    std::shared_ptr<cairn::Event> found;
    std::shared_ptr<cairn::Stream> queue;
    if (const Status refused = cairn::use_both(call, event, stream, found, queue)) return refused;
    if (found->reusable || (found->flags & ACL_EVENT_SYNC) == 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                       "event %p is not one of aclrtCreateEvent or aclrtCreateEventWithFlag(ACL_EVENT_SYNC)",
                       event);
    }
    const cairn::InOrder in_order(*queue, cairn::WorkKind::kReset, event);
    return found->event->reset(*queue->queue);
  });
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  CAIRN_WATCH(stream, event);
  return entry(__func__,
               [&](const Call& call) { return cairn::wait_in_stream(call, stream, event, cairn::kForever); });
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout) {
  CAIRN_WATCH(stream, event, timeout);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status refused = cairn::check_timeout(call, timeout)) return refused;
    return cairn::wait_in_stream(call, stream, event, timeout);
  });
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  CAIRN_WATCH(event, status);
  return entry(__func__, [&](const Call& call) -> Status {
    if (status == nullptr) return call.null("status");
    std::shared_ptr<cairn::Event> found;
    if (const Status refused = use_event(call, "event", event, found)) return refused;
    *status = cairn::complete(event, *found) ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
  CAIRN_WATCH(event, status);
  return entry(__func__, [&](const Call& call) -> Status {
    if (status == nullptr) return call.null("status");
    std::shared_ptr<cairn::Event> found;
    if (const Status refused = use_event(call, "event", event, found)) return refused;
    *status = cairn::complete(event, *found) ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                             : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus* status) {
  CAIRN_WATCH(event, status);
  return entry(__func__, [&](const Call& call) -> Status {
    if (status == nullptr) return call.null("status");
    std::shared_ptr<cairn::Event> found;
    if (const Status refused = use_event(call, "event", event, found)) return refused;
    const bool pending = found->event->waits_pending();
    if (!pending) cairn::host_knows(event);
    *status = pending ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
  CAIRN_WATCH(event);
  return entry(__func__,
               [&](const Call& call) { return cairn::synchronise_event(call, event, cairn::kForever); });
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout) {
  CAIRN_WATCH(event, timeout);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status refused = cairn::check_timeout(call, timeout)) return refused;
    return cairn::synchronise_event(call, event, timeout);
  });
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent, aclrtEvent endEvent) {
  CAIRN_WATCH(ms, startEvent, endEvent);
  return entry(__func__, [&](const Call& call) -> Status {
    if (ms == nullptr) return call.null("ms");
    std::shared_ptr<cairn::Event> start;
    std::shared_ptr<cairn::Event> end;
    if (const Status refused = cairn::use_timed_event(call, "startEvent", startEvent, start)) return refused;
    if (const Status refused = cairn::use_timed_event(call, "endEvent", endEvent, end)) return refused;
    if (start->backend != end->backend) {
      return call.fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                       "startEvent is one of the %s backend, endEvent of the %s backend",
                       start->backend->name(), end->backend->name());
    }
    const double elapsed = end->event->milliseconds_since(*start->event);
    if (elapsed < 0) {
      return call.fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                       "endEvent was reached %.0f ns before startEvent", -elapsed * 1e6);
    }
    *ms = static_cast<float>(elapsed);
    return ACL_SUCCESS;
  });
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
  CAIRN_WATCH(event, timestamp);
  return entry(__func__, [&](const Call& call) -> Status {
    if (timestamp == nullptr) return call.null("timestamp");
    std::shared_ptr<cairn::Event> found;
    if (const Status refused = cairn::use_timed_event(call, "event", event, found)) return refused;
    *timestamp = static_cast<uint64_t>(found->event->nanoseconds().value_or(0) / 1000);
    return ACL_SUCCESS;
  });
}
