#include "tensor/executor.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "acl/acl_rt.h"
#include "aclnn/aclnn_base.h"
#include "cairn/cairn.h"
#include "common/fp_mode.h"
#include "observe/watch.h"

namespace cairn {
namespace {

std::shared_ptr<Executor> find_executor(const aclOpExecutor* handle) {
  return objects().find<Executor>(handle, HandleKind::kExecutor);
}

Status missing_executor(const char* function, const aclOpExecutor* handle, Status status) {
  if (handle == nullptr) return fail(function, ACLNN_ERR_INNER_NULLPTR, "executor is null");
  return fail(function, status,
              text("executor (", handle, ") is ", describe(handle),
                   ", but must be one that phase 1 made and that has neither run, unless it is repeatable, "
                   "nor been destroyed"));
}

enum class Side { kAll, kInputs, kOutputs };

std::size_t count_tensors(const PlannedCall& call, Side side) {
  if (side == Side::kAll) return call.tensors.size();
  return static_cast<std::size_t>(std::count_if(
      call.tensors.begin(), call.tensors.end(),
      [&](const TensorUse& use) { return (use.access == Access::kWrite) == (side == Side::kOutputs); }));
}

// Which index names which tensor is the operator prototype's affair, which may order them differently from
// the function that was called; what counts is the tensor, so long as the call uses it.
Status rebind(const char* function, const PlannedCall& call, const aclTensor* tensor, void* address) {
  if (find_tensor(tensor) == nullptr) return wrong_handle(function, "tensor", tensor, HandleKind::kTensor);
  const bool used = std::any_of(call.tensors.begin(), call.tensors.end(),
                                [&](const TensorUse& use) { return use.tensor == tensor; });
  if (!used) {
    return fail(function, ACLNN_ERR_PARAM_INVALID,
                text("tensor (", tensor, ") is none of those that ", call.kernel->name, " was planned with"));
  }
  return set_address(function, tensor, address);
}

Status set_tensor(const char* function, aclOpExecutor* executor, std::size_t index, aclTensor* tensor,
                  void* address, Side side) {
  const std::shared_ptr<Executor> found = find_executor(executor);
  if (found == nullptr) return missing_executor(function, executor, ACLNN_ERR_INNER_NULLPTR);
  if (tensor == nullptr) return fail(function, ACLNN_ERR_INNER_NULLPTR, "tensor is null");
  const std::size_t count = count_tensors(found->call, side);
  if (index >= count) {
    constexpr const char* kNames[] = {"tensors", "inputs", "outputs"};
    return fail(function, ACLNN_ERR_PARAM_INVALID,
                text("index is ", index, ", but ", found->call.kernel->name, " has ", count, " ",
                     kNames[static_cast<int>(side)]));
  }
  return rebind(function, found->call, tensor, address);
}

Status set_list_element(const char* function, aclOpExecutor* executor, std::size_t index,
                        aclTensorList* tensors, void* address) {
  const std::shared_ptr<Executor> found = find_executor(executor);
  if (found == nullptr) return missing_executor(function, executor, ACLNN_ERR_INNER_NULLPTR);
  if (tensors == nullptr) return fail(function, ACLNN_ERR_INNER_NULLPTR, "tensors is null");
  const auto list = objects().find<const std::vector<const aclTensor*>>(tensors, HandleKind::kTensorList);
  if (list == nullptr) return wrong_handle(function, "tensors", tensors, HandleKind::kTensorList);
  if (index >= list->size()) {
    return fail(function, ACLNN_ERR_PARAM_INVALID,
                text("relativeIndex is ", index, ", but the list has ", list->size(), " tensors"));
  }
  return rebind(function, found->call, (*list)[index], address);
}

Status launch_at(const char* function, aclOpExecutor* executor, void* const* addresses, std::uint64_t count,
                 void* workspace, std::uint64_t workspace_size, void* stream) {
  if (executor == nullptr) return null_argument(function, "executor");
  if (addresses == nullptr) return null_argument(function, "addresses");
  const std::shared_ptr<Executor> found = objects().remove_if<Executor>(
      executor, HandleKind::kExecutor, [](const Executor& live) { return !live.repeatable; });
  if (found == nullptr) return missing_executor(function, executor, ACLNN_ERR_INNER_NULLPTR);
  if (Observer* watcher = observer(); watcher != nullptr && !found->repeatable)
    watcher->ended(HandleKind::kExecutor, executor);
  const PlannedCall& call = found->call;
  if (count != call.tensors.size()) {
    return fail(function, ACLNN_ERR_PARAM_INVALID,
                text("count is ", count, ", but ", call.kernel->name, " was planned with ",
                     call.tensors.size(), " tensors"));
  }
  return guarded<Status>(call.kernel->name, ACLNN_ERR_INNER, [&] {
    return in_default_fp_mode([&] { return run_call(call, addresses, workspace, workspace_size, stream); });
  });
}

// An operator may have kernels of several families, all under its name.
bool is_of(const PlannedCall& call, const Kernel& kernel) { return call.kernel->name == kernel.name; }

class Bridge final : public TensorBridge {
 public:
  std::shared_ptr<const TensorDesc> find_tensor(const aclTensor* handle) const override {
    return cairn::find_tensor(handle);
  }

  std::shared_ptr<const std::vector<std::int64_t>> find_int_array(const aclIntArray* handle) const override {
    return objects().find<const std::vector<std::int64_t>>(handle, HandleKind::kIntArray);
  }

  std::shared_ptr<const std::vector<float>> find_float_array(const aclFloatArray* handle) const override {
    return objects().find<const std::vector<float>>(handle, HandleKind::kFloatArray);
  }

  void find(std::span<Lookup> wanted) const override {
    HandleTable::Glance glance(objects());
    for (Lookup& lookup : wanted) {
      if (const std::shared_ptr<void>* object = glance.at(lookup.handle, lookup.kind)) lookup.found = *object;
    }
  }

  const char* describe(const void* handle) const override { return cairn::describe(handle); }

  aclOpExecutor* create_executor(PlannedCall&& call) const override {
    const char* function = call.kernel->name;
    return guarded<aclOpExecutor*>(function, nullptr, [&] {
      return publish<aclOpExecutor>(function, HandleKind::kExecutor,
                                    std::make_shared<Executor>(std::move(call)));
    });
  }

  Status run(aclOpExecutor* executor, const Kernel& kernel, void* workspace, std::uint64_t workspace_size,
             void* stream) const override {
    if (executor == nullptr) return null_argument(kernel.name, "executor");
    // Of two threads that run it, the one that takes it out of the table goes on.
    const std::shared_ptr<Executor> found = objects().remove_if<Executor>(
        executor, HandleKind::kExecutor,
        [&](const Executor& live) { return is_of(live.call, kernel) && !live.repeatable; });
    if (found == nullptr) return missing_executor(kernel.name, executor, ACLNN_ERR_INNER_NULLPTR);
    if (!is_of(found->call, kernel)) {
      return fail(kernel.name, ACLNN_ERR_INNER_NULLPTR,
                  text("executor (", executor, ") was made by ", found->call.kernel->name,
                       "GetWorkspaceSize, expected one of ", kernel.name, "GetWorkspaceSize"));
    }
    if (Observer* watcher = observer(); watcher != nullptr && !found->repeatable)
      watcher->ended(HandleKind::kExecutor, executor);
    return guarded<Status>(kernel.name, ACLNN_ERR_INNER,
                           [&] { return run_call(found->call, nullptr, workspace, workspace_size, stream); });
  }

  std::size_t live_objects() const override { return objects().live(); }
};

}  // namespace
}  // namespace cairn

using namespace cairn;

const TensorBridge& cairn_tensor_bridge() {
  static const Bridge bridge;
  return bridge;
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  CAIRN_WATCH(executor);
  const std::shared_ptr<Executor> found = find_executor(executor);
  if (found == nullptr) return missing_executor(__func__, executor, ACLNN_ERR_INNER);
  found->repeatable = true;
  return OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  CAIRN_WATCH(executor);
  if (objects().remove(executor, HandleKind::kExecutor) == nullptr)
    return missing_executor(__func__, executor, ACLNN_ERR_INNER);
  if (Observer* watcher = observer()) watcher->ended(HandleKind::kExecutor, executor);
  return OK;
}

aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return set_tensor(__func__, executor, index, tensor, addr, Side::kAll);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return set_tensor(__func__, executor, index, tensor, addr, Side::kInputs);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return set_tensor(__func__, executor, index, tensor, addr, Side::kOutputs);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/, size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, relativeIndex, tensors, addr);
  return set_list_element(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/, size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, relativeIndex, tensors, addr);
  return set_list_element(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t /*irIndex*/, size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, relativeIndex, tensors, addr);
  return set_list_element(__func__, executor, relativeIndex, tensors, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return aclSetTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetInputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor* executor, size_t index, aclTensor* tensor, void* addr) {
  CAIRN_WATCH(executor, index, tensor, addr);
  return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex, size_t relativeIndex,
                                    aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, irIndex, relativeIndex, tensors, addr);
  return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor* executor, size_t irIndex, size_t relativeIndex,
                                         aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, irIndex, relativeIndex, tensors, addr);
  return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor* executor, size_t irIndex, size_t relativeIndex,
                                          aclTensorList* tensors, void* addr) {
  CAIRN_WATCH(executor, irIndex, relativeIndex, tensors, addr);
  return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclError cairnLaunch(aclOpExecutor* executor, void* const* addresses, uint64_t count, void* workspace,
                     uint64_t workspaceSize, aclrtStream stream) {
  CAIRN_WATCH(executor, addresses, count, workspace, workspaceSize, stream);
  return launch_at(__func__, executor, addresses, count, workspace, workspaceSize, stream);
}

aclError cairnCompute(aclOpExecutor* executor, void* const* addresses, uint64_t count, void* workspace,
                      uint64_t workspaceSize, aclrtStream stream) {
  CAIRN_WATCH(executor, addresses, count, workspace, workspaceSize, stream);
  const Status status = launch_at(__func__, executor, addresses, count, workspace, workspaceSize, stream);
  return status != OK ? status : aclrtSynchronizeStream(stream);
}

// Nothing here needs setting up: the libraries are ready when they are loaded.
aclnnStatus aclnnInit(const char* /*configPath*/) { return OK; }
aclnnStatus aclnnFinalize() { return OK; }
