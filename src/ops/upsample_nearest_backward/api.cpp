#include "ops/common/api.h"

#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "ops/kernel/target.h"
#include "ops/upsample_nearest_backward/contract.h"
#include "ops/upsample_nearest_backward/cpu.h"

namespace {

using cairn::upsample_nearest_backward::Call;

std::optional<cairn::IndexFault> on_cpu(const void* plan, cairn::Workers& workers) {
  return run_on_cpu(*static_cast<const cairn::upsample_nearest_backward::Plan*>(plan), workers);
}

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kUpsampleNearest3dBackward), on_cpu,
                                   cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
    const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize, double scalesD,
    double scalesH, double scalesW, aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput, workspaceSize,
                    executor);
    return plan_call(call, kKernel);
  });
}

aclnnStatus aclnnUpsampleNearest3dBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                           aclrtStream stream) {
  return cairn::run_planned(kKernel, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
