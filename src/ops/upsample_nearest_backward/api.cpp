#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/upsample_nearest_backward/contract.h"
#include "ops/upsample_nearest_backward/cpu/candidates.h"

namespace {

using cairn::upsample_nearest_backward::Call;

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kUpsampleNearest3dBackward),
                                   static_cast<std::size_t>(cairn::Family::upsample_nearest_backward),
                                   &cairn::upsample_nearest_backward::kCpuCandidates, cairn::cpu_target};

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
