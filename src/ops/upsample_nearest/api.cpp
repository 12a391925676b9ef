#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "ops/entry.h"
#include "ops/family.h"
#include "ops/kit/cpu/target.h"
#include "ops/upsample_nearest/contract.h"
#include "ops/upsample_nearest/cpu/candidates.h"

namespace {

using cairn::upsample_nearest::Call;

constexpr cairn::Kernel kKernel = {name_of(cairn::Operator::kUpsampleNearest3d),
                                   static_cast<std::size_t>(cairn::Family::upsample_nearest),
                                   &cairn::upsample_nearest::kCpuCandidates, cairn::cpu_target};

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
