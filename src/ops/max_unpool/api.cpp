#include "ops/common/api.h"

#include "aclnnop/aclnn_max_unpool3d.h"
#include "ops/kernel/target.h"
#include "ops/max_unpool/contract.h"
#include "ops/max_unpool/cpu.h"

namespace {

using cairn::max_unpool::Call;

std::optional<cairn::IndexFault> on_cpu(const void* plan, cairn::Workers& workers) {
  return run_on_cpu(*static_cast<const cairn::max_unpool::Plan*>(plan), workers);
}

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kMaxUnpool3d), on_cpu, cairn::cpu_target};

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
