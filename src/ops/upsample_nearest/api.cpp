#include "ops/common/api.h"

#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "ops/kernel/target.h"
#include "ops/upsample_nearest/contract.h"
#include "ops/upsample_nearest/cpu.h"

namespace {

using cairn::upsample_nearest::Call;

std::optional<cairn::IndexFault> on_cpu(const void* plan, cairn::Workers& workers) {
  return run_on_cpu(*static_cast<const cairn::upsample_nearest::Plan*>(plan), workers);
}

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kUpsampleNearest3d), on_cpu, cairn::cpu_target};

}  // namespace

extern "C" {

aclnnStatus aclnnUpsampleNearest3dGetWorkspaceSize(const aclTensor* self, const aclIntArray* outputSize,
                                                   double scalesD, double scalesH, double scalesW,
                                                   aclTensor* out, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor) {
  return cairn::guarded([&] {
    const Call call(self, outputSize, scalesD, scalesH, scalesW, out, workspaceSize, executor);
    return plan_call(call, kKernel);
  });
}

aclnnStatus aclnnUpsampleNearest3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream) {
  return cairn::run_planned(kKernel, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
