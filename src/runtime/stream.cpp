#include <algorithm>
#include <limits>
#include <memory>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/in_order.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

constexpr std::uint32_t kLargestPriority = 7;
constexpr std::size_t kHints = ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC | ACL_STREAM_HUGE;
constexpr std::size_t kUnsupported =
    ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;

Status create_stream(const Call& call, aclrtStream* handle, std::uint32_t priority, std::size_t flags) {
  if (handle == nullptr) return call.null("stream");
  if ((flags & ~(kHints | kUnsupported)) != 0) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "flag is 0x%zx, which has bits no ACL_STREAM flag has",
                     flags);
  }
  if ((flags & kUnsupported) != 0) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "flag is 0x%zx; PERSISTENT, CPU_SCHEDULE and DEVICE_USE_ONLY streams are not supported",
                     flags);
  }
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  const std::shared_ptr<Stream> stream = State::get().create_stream(
      *context, std::min(priority, kLargestPriority), static_cast<std::uint32_t>(flags));
  if (stream == nullptr) return call.no_context();
  *handle = stream->handle;
  return ACL_SUCCESS;
}

Status destroy_stream(const Call& call, aclrtStream handle, bool drain) {
  if (handle == nullptr) return call.null("stream");
  std::shared_ptr<Stream> stream;
  if (const Status status = use_stream(call, handle, stream)) return status;
  const std::shared_ptr<Context> context = stream->context.lock();
  if (!stream->free_standing && (context == nullptr || context->default_stream == stream)) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                     "stream %p is its context's default stream, which ends with it", handle);
  }
  std::optional<DeviceError> failure;
  if (drain) {
    Synchronised drained;
    try {
      drained = synchronise(*stream, kForever);
    } catch (const DeviceError& error) {
      failure = error;  // the stream ends all the same
    }
    // Only a synchronise answers with a fault; one that nobody asked for is worth a line in the log.
    if (drained.fault) log(LogLevel::kError, drained.fault->message);
    if (const Status status = outcome(call, {drained.result}, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, kForever))
      return status;
  }
  if (!State::get().end_stream(stream)) {
    return call.fail(ACL_ERROR_RT_INVALID_HANDLE, "stream %p is not a live stream", handle);
  }
  if (failure) throw DeviceError(*failure);
  return ACL_SUCCESS;
}

Status synchronise_stream(const Call& call, aclrtStream handle, std::int64_t timeout_ms) {
  std::shared_ptr<Stream> stream;
  if (const Status status = use_stream(call, handle, stream)) return status;
  return outcome(call, synchronise(*stream, timeout_ms), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, timeout_ms);
}

// A host function that a tool wants to know the beginning and end of.
struct WatchedFunction {
  aclrtHostFunc function;
  void* argument;
  std::uint64_t call;
};

void run_watched(void* given) {
  // Ends with the function however that ends: it may end its thread.
  struct Running {
    explicit Running(void* from) : watched(static_cast<WatchedFunction*>(from)) { tell(true); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { tell(false); }
    void tell(bool begins) const {
      if (Observer* watcher = observer()) watcher->host_function(watched->call, begins);
    }
    const std::unique_ptr<WatchedFunction> watched;
  };
  const Running running(given);
  running.watched->function(running.watched->argument);
}

Status queue_host_function(Stream& stream, aclrtHostFunc function, void* argument) {
  if (observer() == nullptr) return stream.queue->host_function(function, argument);
  const InOrder in_order(stream, WorkKind::kHostFunction, "a host function", {});
  auto watched = std::make_unique<WatchedFunction>(WatchedFunction{function, argument, in_order.call()});
  const Status status = stream.queue->host_function(&run_watched, watched.get());
  static_cast<void>(watched.release());  // its run has it now, or it was dropped with its stream
  return status;
}

Status check_failure_mode(const Call& call, std::uint64_t mode) {
  if (mode == ACL_CONTINUE_ON_FAILURE) return ACL_SUCCESS;
  if (mode == ACL_STOP_ON_FAILURE) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "mode is ACL_STOP_ON_FAILURE, which is not supported");
  }
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "mode is %llu, expected ACL_CONTINUE_ON_FAILURE (0)",
                   static_cast<unsigned long long>(mode));
}

Status check_attribute(const Call& call, aclrtStreamAttr attribute, const aclrtStreamAttrValue* value) {
  if (value == nullptr) return call.null("value");
  if (attribute >= ACL_STREAM_ATTR_FAILURE_MODE && attribute <= ACL_STREAM_ATTR_PRIORITY) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "stmAttrType is %d, expected 1 to 5",
                   static_cast<int>(attribute));
}

Status set_attribute(const Call& call, aclrtStream handle, aclrtStreamAttr attribute,
                     aclrtStreamAttrValue value) {
  std::shared_ptr<Stream> stream;
  if (const Status status = use_stream(call, handle, stream)) return status;
  if (attribute == ACL_STREAM_ATTR_FAILURE_MODE) {
    if (const Status status = check_failure_mode(call, value.failureMode)) return status;
  }
  if (attribute == ACL_STREAM_ATTR_PRIORITY) value.priority = std::min(value.priority, kLargestPriority);
  const std::lock_guard lock(stream->mutex);
  stream->attributes[attribute] = value;
  return ACL_SUCCESS;
}

Status get_attribute(const Call& call, aclrtStream handle, aclrtStreamAttr attribute,
                     aclrtStreamAttrValue& value) {
  std::shared_ptr<Stream> stream;
  if (const Status status = use_stream(call, handle, stream)) return status;
  const std::lock_guard lock(stream->mutex);
  value = stream->attributes[attribute];
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::Status;
using cairn::use_stream;

aclError aclrtCreateStream(aclrtStream* stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) { return cairn::create_stream(call, stream, 0, 0); });
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority, uint32_t flag) {
  CAIRN_WATCH(stream, priority, flag);
  return entry(__func__,
               [&](const Call& call) { return cairn::create_stream(call, stream, priority, flag); });
}

aclError aclrtCreateStreamV2(aclrtStream* stream, const aclrtStreamConfigHandle* handle) {
  CAIRN_WATCH(stream, handle);
  return entry(__func__, [&](const Call& call) {
    if (handle == nullptr) return call.null("handle");
    return cairn::create_stream(call, stream, handle->priority, handle->flag);
  });
}

aclError aclrtDestroyStream(aclrtStream stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) { return cairn::destroy_stream(call, stream, true); });
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) { return cairn::destroy_stream(call, stream, false); });
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
  CAIRN_WATCH(stream);
  return entry(__func__,
               [&](const Call& call) { return cairn::synchronise_stream(call, stream, cairn::kForever); });
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout) {
  CAIRN_WATCH(stream, timeout);
  return entry(__func__, [&](const Call& call) {
    if (timeout < -1 || timeout == 0) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                       "timeout is %d, expected -1 (for ever) or milliseconds above 0", timeout);
    }
    return cairn::synchronise_stream(call, stream, timeout);
  });
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
  CAIRN_WATCH(stream, status);
  return entry(__func__, [&](const Call& call) -> Status {
    if (status == nullptr) return call.null("status");
    std::shared_ptr<cairn::Stream> found;
    if (const Status refused = use_stream(call, stream, found)) return refused;
    *status = cairn::is_idle(*found) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    return ACL_SUCCESS;
  });
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t* streamId) {
  CAIRN_WATCH(stream, streamId);
  return entry(__func__, [&](const Call& call) -> Status {
    if (streamId == nullptr) return call.null("streamId");
    std::shared_ptr<cairn::Stream> found;
    if (const Status refused = use_stream(call, stream, found)) return refused;
    *streamId = found->id;
    return ACL_SUCCESS;
  });
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t* priority) {
  CAIRN_WATCH(stream, priority);
  return entry(__func__, [&](const Call& call) -> Status {
    if (priority == nullptr) return call.null("priority");
    aclrtStreamAttrValue value{};
    if (const Status refused = cairn::get_attribute(call, stream, ACL_STREAM_ATTR_PRIORITY, value))
      return refused;
    *priority = value.priority;
    return ACL_SUCCESS;
  });
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t* flags) {
  CAIRN_WATCH(stream, flags);
  return entry(__func__, [&](const Call& call) -> Status {
    if (flags == nullptr) return call.null("flags");
    std::shared_ptr<cairn::Stream> found;
    if (const Status refused = use_stream(call, stream, found)) return refused;
    *flags = found->flags;
    return ACL_SUCCESS;
  });
}

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode) {
  CAIRN_WATCH(stream, mode);
  return entry(__func__, [&](const Call& call) {
    aclrtStreamAttrValue value{};
    value.failureMode = mode;
    return cairn::set_attribute(call, stream, ACL_STREAM_ATTR_FAILURE_MODE, value);
  });
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  CAIRN_WATCH(stream, stmAttrType, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status refused = cairn::check_attribute(call, stmAttrType, value)) return refused;
    return cairn::set_attribute(call, stream, stmAttrType, *value);
  });
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType,
                                 aclrtStreamAttrValue* value) {
  CAIRN_WATCH(stream, stmAttrType, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status refused = cairn::check_attribute(call, stmAttrType, value)) return refused;
    return cairn::get_attribute(call, stream, stmAttrType, *value);
  });
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void* args) {
  CAIRN_WATCH(stream, fn, args);
  return entry(__func__, [&](const Call& call) -> Status {
    if (fn == nullptr) return call.null("fn");
    std::shared_ptr<cairn::Stream> found;
    if (const Status refused = cairn::begin_work(call, stream, found)) return refused;
    return cairn::queue_host_function(*found, fn, args);
  });
}
