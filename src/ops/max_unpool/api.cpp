#include "aclnnop/aclnn_max_unpool3d.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_unpool/contract.h"
#include "ops/max_unpool/cpu/candidates.h"

namespace {

using cairn::max_unpool::Call;

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kMaxUnpool3d),
                                   static_cast<std::size_t>(cairn::Family::max_unpool),
                                   &cairn::max_unpool::kCpuCandidates, cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(const aclTensor* self, const aclTensor* indices,
                                             const aclIntArray* outputSize, const aclIntArray* stride,
                                             const aclIntArray* padding, aclTensor* outRef,
                                             uint64_t* workspaceSize, aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call({self, indices, outputSize, stride, padding}, outRef, workspaceSize, executor);
    return plan_call(call, kKernel);
  });
}

aclnnStatus aclnnMaxUnpool3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                             aclrtStream stream) {
  return cairn::run_planned(kKernel, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
