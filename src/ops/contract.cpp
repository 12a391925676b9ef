#include "ops/contract.h"

#include <utility>

#include "ops/checks/text.h"
#include "runtime/bridge.h"

namespace cairn {

void report_broken(Operator op, const RuleInfo& rule, const Complaint& complaint) {
  const std::string message =
      sentence(name_of(op), "GetWorkspaceSize: ", complaint.text(), " [", rule.name, "]");
  cairn_runtime_bridge().report_error(rule.status, message);
}

std::vector<TensorUse> in_order(std::initializer_list<Use> uses) {
  std::vector<TensorUse> result;
  result.reserve(uses.size());
  for (const auto& [tensor, access] : uses) {
    result.push_back({static_cast<const aclTensor*>(tensor->handle), tensor->name, access, tensor->desc});
  }
  return result;
}

Status hand_over(const CallBase& call, PlannedCall&& planned) {
  const std::uint64_t workspace_size = planned.workspace_size;
  planned.product = call.product().name.data();
  aclOpExecutor* executor = cairn_tensor_bridge().create_executor(std::move(planned));
  if (executor == nullptr) return ACLNN_ERR_INNER_CREATE_EXECUTOR;
  *call.workspace_size_out = workspace_size;
  *call.executor_out = executor;
  return ACLNN_SUCCESS;
}

}  // namespace cairn
