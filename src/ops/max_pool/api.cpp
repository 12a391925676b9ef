#include "aclnnop/aclnn_max_pool2d_with_indices.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool/contract.h"
#include "ops/max_pool/cpu/candidates.h"

namespace {

using cairn::Operator;
using cairn::max_pool::Call;

constexpr cairn::Kernel kKernel3d = {name_of(Operator::kMaxPool3dWithArgmax),
                                     static_cast<std::size_t>(cairn::Family::max_pool),
                                     &cairn::max_pool::kCpuCandidates, cairn::cpu_target};
constexpr cairn::Kernel kKernel2d = {name_of(Operator::kMaxPool2dWithIndices),
                                     static_cast<std::size_t>(cairn::Family::max_pool),
                                     &cairn::max_pool::kCpuCandidates, cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnMaxPool3dWithArgmaxGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                     const aclIntArray* stride, const aclIntArray* padding,
                                                     const aclIntArray* dilation, bool ceilMode,
                                                     aclTensor* out, aclTensor* indices,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(Operator::kMaxPool3dWithArgmax,
                    {self, indices, kernelSize, stride, padding, dilation, ceilMode}, out, workspaceSize,
                    executor);
    return plan_call(call, kKernel3d);
  });
}

aclnnStatus aclnnMaxPool3dWithArgmax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream) {
  return cairn::run_planned(kKernel3d, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnMaxPool2dWithIndicesGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                      const aclIntArray* stride, const aclIntArray* padding,
                                                      const aclIntArray* dilation, bool ceilMode,
                                                      aclTensor* out, aclTensor* indices,
                                                      uint64_t* workspaceSize, aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(Operator::kMaxPool2dWithIndices,
                    {self, indices, kernelSize, stride, padding, dilation, ceilMode}, out, workspaceSize,
                    executor);
    return plan_call(call, kKernel2d);
  });
}

aclnnStatus aclnnMaxPool2dWithIndices(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                      aclrtStream stream) {
  return cairn::run_planned(kKernel2d, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
