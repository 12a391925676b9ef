#include <array>
#include <limits>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/state.h"

namespace cairn {
namespace {

constexpr std::array<std::int64_t, kOptionCount> kLargestValue = {3, 1, 1, 1};

Status check_option(const Call& call, aclSysParamOpt option, int last) {
  if (option >= 0 && static_cast<int>(option) <= last) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_INVALID_PARAM, "opt is %d, expected 0 to %d", static_cast<int>(option), last);
}

Status check_value(const Call& call, aclSysParamOpt option, std::int64_t value) {
  const std::int64_t largest = kLargestValue[static_cast<std::size_t>(option)];
  if (value >= 0 && value <= largest) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "value is %lld, expected 0 to %lld for opt %d",
                   static_cast<long long>(value), static_cast<long long>(largest), static_cast<int>(option));
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::HandleKind;
using cairn::State;
using cairn::Status;

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  CAIRN_WATCH(context, deviceId);
  return entry(__func__, [&](const Call& call) -> Status {
    if (context == nullptr) return call.null("context");
    const auto backend = State::get().find_device(call, deviceId);
    if (backend == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
    const auto created = State::get().create_context(backend, deviceId, false);
    *context = cairn::thread_state().context = created->handle;
    return ACL_SUCCESS;
  });
}

aclError aclrtDestroyContext(aclrtContext context) {
  CAIRN_WATCH(context);
  return entry(__func__, [&](const Call& call) -> Status {
    if (context == nullptr) return call.null("context");
    State& state = State::get();
    const auto found = state.handles().find<cairn::Context>(context, HandleKind::kContext);
    if (found != nullptr && found->primary) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                       "context %p is the device's own; it ends with aclrtResetDevice", context);
    }
    if (found == nullptr || !state.end_context(found)) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "context %p is not a live context", context);
    }
    void*& current = cairn::thread_state().context;
    if (current == context) current = nullptr;
    return ACL_SUCCESS;
  });
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  CAIRN_WATCH(context);
  return entry(__func__, [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    if (State::get().handles().find(context, HandleKind::kContext) == nullptr) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "context %p is not a live context", context);
    }
    cairn::thread_state().context = context;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  CAIRN_WATCH(context);
  return entry(__func__, [&](const Call& call) {
    if (context == nullptr) return call.null("context");
    const auto current = State::get().current_context();
    if (current == nullptr) return call.no_context();
    *context = current->handle;
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream* stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) {
    if (stream == nullptr) return call.null("stream");
    const auto current = State::get().current_context();
    if (current == nullptr) return call.no_context();
    *stream = current->default_stream->handle;
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  CAIRN_WATCH(opt, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status status = cairn::check_option(call, opt, ACL_OPT_STRONG_CONSISTENCY)) return status;
    if (const Status status = cairn::check_value(call, opt, value)) return status;
    const auto context = State::get().current_context();
    if (context == nullptr) return call.no_context();
    const std::lock_guard lock(context->mutex);
    context->options[opt] = value;
    State::get().options[opt] = value;
    return ACL_SUCCESS;
  });
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  CAIRN_WATCH(opt, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (value == nullptr) return call.null("value");
    if (const Status status = cairn::check_option(call, opt, ACL_OPT_STRONG_CONSISTENCY)) return status;
    const auto context = State::get().current_context();
    if (context == nullptr) return call.no_context();
    const std::lock_guard lock(context->mutex);
    if (!context->options[opt]) {
      return call.fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt %d was never set in this context",
                       static_cast<int>(opt));
    }
    *value = *context->options[opt];
    return ACL_SUCCESS;
  });
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  CAIRN_WATCH(opt, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (const Status status = cairn::check_option(call, opt, ACL_OPT_ENABLE_KERNEL_EARLY_START))
      return status;
    if (const Status status = cairn::check_value(call, opt, value)) return status;
    State::get().options[opt] = value;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  CAIRN_WATCH(opt, value);
  return entry(__func__, [&](const Call& call) -> Status {
    if (value == nullptr) return call.null("value");
    if (const Status status = cairn::check_option(call, opt, ACL_OPT_ENABLE_KERNEL_EARLY_START))
      return status;
    *value = State::get().options[opt];
    return ACL_SUCCESS;
  });
}
