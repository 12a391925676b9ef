#include <algorithm>
#include <array>
#include <string>

#include "check/arguments.h"
#include "check/model.h"

namespace cairn::check {
namespace {

const void* pointer(std::uint64_t bits) {
  return reinterpret_cast<const void*>(bits);  // NOLINT(performance-no-int-to-ptr): looked up, never followed
}

// What a plain pointer argument of the runtime must be, by its name.
HandleKind kind_by_name(std::string_view name) {
  if (name == "stream") return HandleKind::kStream;
  if (name == "event" || name == "startEvent" || name == "endEvent") return HandleKind::kEvent;
  if (name == "context") return HandleKind::kContext;
  return HandleKind{};
}

std::string in_hexadecimal(const void* handle) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%p", handle);
  return text.data();
}

}  // namespace

void Model::made(HandleKind kind, const void* handle) { objects_[handle] = {.kind = kind, .made = here()}; }

void Model::owned(const void* owner, const void* handle) {
  const auto found = objects_.find(handle);
  if (found == objects_.end()) return;
  found->second.owner = owner;
  ++objects_[owner].owns;
}

void Model::ended(HandleKind kind, const void* handle) {
  Object& object = objects_[handle];
  object.kind = kind;
  object.ended = here();
  object.ran =
      kind == HandleKind::kExecutor && std::string_view(object.ended->function) != "aclDestroyAclOpExecutor";
  const auto stream = stream_ids_.find(handle);
  if (stream != stream_ids_.end()) streams_[static_cast<std::size_t>(stream->second)].alive = false;
  if (kind == HandleKind::kEvent) order_.reset(handle);
}

void Model::planned(const Planned& plan) {
  Object& executor = objects_[plan.executor];
  executor.planned_for = plan.name;
  executor.changed = changes_;
  executor.tensors.assign(plan.tensors.begin(), plan.tensors.end());
}

void Model::device_ended(std::int32_t device) {
  for (auto& [begin, block] : blocks_.all()) {
    if (block.device == device && block.freed == nullptr && block.kind == MemoryKind::kDevice)
      block.device_has_ended = true;
  }
}

void Model::wrong_handle(const char* argument, const void* handle, HandleKind expected) {
  explain_handle(argument, handle, expected);
}

bool Model::explain_handle(std::string_view argument, const void* handle, HandleKind expected) {
  const CallPtr call = here();
  const std::string who = call->with_arguments() + ": ";
  const auto found = objects_.find(handle);
  const std::string name(argument);
  if (found == objects_.end()) {
    if (expected == HandleKind::kContext) return false;  // a device's own is nobody's, and not known here
    report({.rule = RuleId::wrong_handle_type,
            .message = who + name + " (" + in_hexadecimal(handle) +
                       ") is no object of this API, expected an " + name_of(expected)});
    return true;
  }
  const Object& object = found->second;
  // What the call itself ended before it failed is not why it failed.
  if (object.ended != nullptr && object.ended != call) {
    const std::string_view function = call->function;
    const bool destroys = function.starts_with("aclDestroy") || function.starts_with("aclrtDestroy");
    report({.rule = destroys ? RuleId::double_destroy : RuleId::use_of_destroyed_handle,
            .message = who + name + " is an " + name_of(object.kind) + " that has been destroyed",
            .others = {{"destroyed", object.ended, false}, {"made", object.made, false}}});
    return true;
  }
  if (object.kind == expected) return false;
  report({.rule = RuleId::wrong_handle_type,
          .message = who + name + " is an " + name_of(object.kind) + ", expected an " + name_of(expected),
          .others = {{"made", object.made, false}}});
  return true;
}

bool Model::explain_executor(const ApiCall& call) {
  const auto value = std::ranges::find(call.values, HandleKind::kExecutor, &ApiValue::handle);
  if (value == call.values.end() || value->kind != ApiValue::Kind::kHandle) return false;
  const auto found = objects_.find(pointer(value->bits));
  if (found == objects_.end()) return false;
  const Object& executor = found->second;
  if (executor.ended != nullptr && executor.ended == here()) return false;  // it was this call that ran it
  const std::string who = std::string(call.function) + "(executor = " + in_hexadecimal(found->first) + "): ";
  if (executor.ran) {
    if (std::string_view(call.function) == "aclDestroyAclOpExecutor") {
      report({.rule = RuleId::double_destroy,
              .message = who + "this executor has run, and ended with that",
              .others = {{"ran", executor.ended, false}}});
      return true;
    }
    report({.rule = RuleId::executor_used_twice,
            .message = who + "this executor has already run; answered " + std::to_string(thread_frame().said),
            .others = {{"ran", executor.ended, false}}});
    return true;
  }
  if (executor.ended != nullptr || executor.planned_for == nullptr) return false;
  if (std::string_view(executor.planned_for) == call.function) return false;
  report({.rule = RuleId::executor_of_another_operator,
          .message = who + "this executor was made by " + executor.planned_for + "GetWorkspaceSize",
          .others = {{"made", executor.made, false}}});
  return true;
}

// A call has failed and no rule has said why: perhaps it was given something that is not what it should be.
void Model::explain_handles(const ApiCall& call) {
  if (explain_executor(call)) return;
  for_each_argument(call, [&](std::string_view name, const ApiValue& value) {
    const bool typed = value.kind == ApiValue::Kind::kHandle;
    if (!typed && value.kind != ApiValue::Kind::kAddress) return true;
    const HandleKind expected = typed ? value.handle : kind_by_name(name);
    if (value.bits == 0 || expected == HandleKind{}) return true;
    return !explain_handle(name, pointer(value.bits), expected);
  });
}

// Phase 2 is about to look at its tensors: what has been set since phase 1?
void Model::check_changed(const ApiCall& call) {
  const auto value = std::ranges::find(call.values, HandleKind::kExecutor, &ApiValue::handle);
  if (value == call.values.end()) return;
  const auto found = objects_.find(pointer(value->bits));
  if (found == objects_.end() || found->second.repeatable) return;
  for (const void* handle : found->second.tensors) {
    const auto tensor = objects_.find(handle);
    if (tensor == objects_.end() || tensor->second.changed <= found->second.changed) continue;
    report(
        {.rule = RuleId::tensor_changed_between_phases,
         .message = std::string(call.function) + ": a tensor of this call was changed by " +
                    tensor->second.changed_by->function + " after phase 1",
         .others = {{"changed", tensor->second.changed_by, false}, {"phase 1", found->second.made, false}}});
    return;
  }
}

void Model::note_changes(const ApiCall& call) {
  const std::string_view name = call.function;
  if (name == "aclSetAclOpExecutorRepeatable") {
    objects_[pointer(call.values[0].bits)].repeatable = true;
  } else if (name == "aclSetRawTensorAddr" || name == "aclInitTensor") {
    Object& tensor = objects_[pointer(call.values[0].bits)];
    tensor.changed = ++changes_;
    tensor.changed_by = here();
  } else if (name == "aclrtSetDevice" || name == "aclrtSetCurrentContext" || name == "aclrtCreateContext") {
    thread_frame().context_set = here();
  }
}

}  // namespace cairn::check
