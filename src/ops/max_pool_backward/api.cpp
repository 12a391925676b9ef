#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool_backward/contract.h"
#include "ops/max_pool_backward/cpu/candidates.h"

namespace {

using cairn::Operator;
using cairn::max_pool_backward::Call;

constexpr cairn::Kernel kKernel3d = {name_of(Operator::kMaxPool3dWithArgmaxBackward),
                                     static_cast<std::size_t>(cairn::Family::max_pool_backward),
                                     &cairn::max_pool_backward::kCpuCandidates, cairn::cpu_target};
constexpr cairn::Kernel kKernel2d = {name_of(Operator::kMaxPool2dWithIndicesBackward),
                                     static_cast<std::size_t>(cairn::Family::max_pool_backward),
                                     &cairn::max_pool_backward::kCpuCandidates, cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(Operator::kMaxPool3dWithArgmaxBackward, gradOutput,
                    {self, indices, kernelSize, stride, padding, dilation, ceilMode}, gradInput,
                    workspaceSize, executor);
    return plan_call(call, kKernel3d);
  });
}

aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream) {
  return cairn::run_planned(kKernel3d, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(Operator::kMaxPool2dWithIndicesBackward, gradOutput,
                    {self, indices, kernelSize, stride, padding, dilation, ceilMode}, gradInput,
                    workspaceSize, executor);
    return plan_call(call, kKernel2d);
  });
}

aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return cairn::run_planned(kKernel2d, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
