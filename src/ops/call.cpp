#include "ops/call.h"

#include <array>
#include <utility>

#include "observe/observer.h"
#include "runtime/bridge.h"
#include "tensor/text.h"

namespace cairn {
namespace {

Access access_of(Kind kind) {
  if (kind == Kind::kOutput) return Access::kWrite;
  if (kind == Kind::kGathered) return Access::kGather;
  return kind == Kind::kShape ? Access::kUnused : Access::kRead;
}

using Lookup = TensorBridge::Lookup;

// Of a handle; else nothing.
std::optional<Lookup> lookup_of(const Value& value) {
  if (const auto* tensor = std::get_if<const aclTensor*>(&value)) return Lookup{*tensor, HandleKind::kTensor};
  if (const auto* array = std::get_if<const aclIntArray*>(&value))
    return Lookup{*array, HandleKind::kIntArray};
  if (const auto* array = std::get_if<const aclFloatArray*>(&value))
    return Lookup{*array, HandleKind::kFloatArray};
  return std::nullopt;
}

}  // namespace

void TensorArgument::set(const ArgumentInfo& info, const aclTensor* tensor, Found&& object) {
  name = info.name;
  handle = tensor;
  kind = "aclTensor";
  may_be_null = cairn::may_be_null(info.kind);
  access = access_of(info.kind);
  desc = std::static_pointer_cast<const TensorDesc>(std::move(object));
  live = desc != nullptr;
  if (!live) return;
  range = desc->extent.range;
  dense = range && desc->extent.dense;
}

void ArrayArgument::set(const ArgumentInfo& info, const aclIntArray* array, Found&& object) {
  name = info.name;
  handle = array;
  kind = "aclIntArray";
  may_be_null = cairn::may_be_null(info.kind);
  found = std::static_pointer_cast<const std::vector<std::int64_t>>(std::move(object));
  live = found != nullptr;
}

void FloatArrayArgument::set(const ArgumentInfo& info, const aclFloatArray* array, Found&& object) {
  name = info.name;
  handle = array;
  kind = "aclFloatArray";
  found = std::static_pointer_cast<const std::vector<float>>(std::move(object));
  live = found != nullptr;
}

CallBase::CallBase(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
                   aclOpExecutor** executor)
    : op(which),
      choice(current_product()),
      workspace_size_out(workspace_size),
      executor_out(executor),
      workspace_size_{.name = "workspaceSize", .handle = workspace_size},
      executor_{.name = "executor", .handle = static_cast<const void*>(executor)} {
  if (choice) support_ = op.on(*choice.product);
  std::array<Lookup, kMostHandles> lookups{};
  std::size_t count = 0;
  for (const Value& value : values) {
    if (std::optional<Lookup> wanted = lookup_of(value)) lookups[count++] = *std::move(wanted);
  }
  cairn_tensor_bridge().find({lookups.data(), count});
  Lookup* next = lookups.data();
  for (std::size_t i = 0; i < values.size(); ++i) add(op.arguments[i], values[i], next);
  add(workspace_size_);
  add(executor_);
}

void CallBase::add(const ArgumentInfo& info, const Value& value, Lookup*& next) {
  if (const auto* tensor_handle = std::get_if<const aclTensor*>(&value)) {
    TensorArgument& added = tensors_.add();
    added.set(info, *tensor_handle, std::move((next++)->found));
    add(added);
    if (*tensor_handle == nullptr && added.may_be_null) return;
    given_[given_count_++] = &added;
    if (added.access == Access::kWrite) outputs_[output_count_++] = &added;
  } else if (const auto* array_handle = std::get_if<const aclIntArray*>(&value)) {
    ArrayArgument& added = arrays_.add();
    added.set(info, *array_handle, std::move((next++)->found));
    add(added);
  } else if (const auto* floats_handle = std::get_if<const aclFloatArray*>(&value)) {
    floats_.set(info, *floats_handle, std::move((next++)->found));
    add(floats_);
  } else if (const auto* words = std::get_if<const char*>(&value)) {
    text_ = {.name = info.name, .handle = *words};
    add(text_);
  } else if (const auto* wide = std::get_if<double>(&value)) {
    numbers_.add() = *wide;
  } else if (const auto* narrow = std::get_if<float>(&value)) {
    numbers_.add() = static_cast<double>(*narrow);
  } else if (const auto* flag = std::get_if<bool>(&value)) {
    integers_.add() = *flag ? 1 : 0;
  } else if (const auto* byte = std::get_if<std::int8_t>(&value)) {
    integers_.add() = *byte;
  } else {
    integers_.add() = std::get<std::int64_t>(value);
  }
}

Status check(const CallBase& call) {
  for (const Rule& rule : call.op.rules(call.spatial())) {
    const Complaint complaint = rule.check(call);
    if (complaint.empty()) continue;
    cairn_runtime_bridge().report_error(
        rule.status, sentence(call.op.name, "GetWorkspaceSize: ", complaint.text(), " [", rule.name, "]"));
    return rule.status;
  }
  return 0;
}

namespace {

void tell_of_plan(Observer& watcher, const CallBase& call, const aclOpExecutor* executor) {
  std::array<const void*, 8> tensors{};
  std::size_t count = 0;
  for (const TensorArgument* tensor : call.tensors()) tensors[count++] = tensor->handle;
  watcher.planned({executor, call.op.name, {tensors.data(), count}});
}

}  // namespace

Status hand_over(const CallBase& call, PlannedCall&& planned) {
  planned.product = call.product().name.data();
  planned.workspace_asked = planned.workspace_size;
  if (Observer* watcher = observer())
    planned.workspace_asked = watcher->wanted_workspace(planned.workspace_size);
  const std::uint64_t workspace_size = planned.workspace_asked;
  aclOpExecutor* executor = cairn_tensor_bridge().create_executor(std::move(planned));
  if (executor == nullptr) return ACLNN_ERR_INNER_CREATE_EXECUTOR;
  if (Observer* watcher = observer()) tell_of_plan(*watcher, call, executor);
  *call.workspace_size_out = workspace_size;
  *call.executor_out = executor;
  return ACLNN_SUCCESS;
}

}  // namespace cairn
