#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_unpool_backward/contract.h"
#include "ops/max_unpool_backward/cpu/candidates.h"

namespace {

using cairn::max_unpool_backward::Call;

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kMaxUnpool3dBackward),
                                   static_cast<std::size_t>(cairn::Family::max_unpool_backward),
                                   &cairn::max_unpool_backward::kCpuCandidates, cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnMaxUnpool3dBackwardGetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
                                                     const aclTensor* indices, const aclIntArray* outputSize,
                                                     const aclIntArray* stride, const aclIntArray* padding,
                                                     aclTensor* out, uint64_t* workspaceSize,
                                                     aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(gradOutput, {self, indices, outputSize, stride, padding}, out, workspaceSize, executor);
    return plan_call(call, kKernel);
  });
}

aclnnStatus aclnnMaxUnpool3dBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream) {
  return cairn::run_planned(kKernel, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
