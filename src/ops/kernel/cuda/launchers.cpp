#include "backend/cuda/launch.h"
#include "ops/max_pool/cuda.h"
#include "ops/max_pool_backward/cuda.h"
#include "ops/max_unpool/cuda.h"
#include "ops/max_unpool_backward/cuda.h"
#include "ops/upsample_nearest/cuda.h"
#include "ops/upsample_nearest_backward/cuda.h"

namespace cairn::cuda {
namespace {

template <typename Plan, cudaError_t (*Launch)(const Plan&, const CudaLaunch&)>
cudaError_t launch_plan(const void* plan, const CudaLaunch& launch) {
  return Launch(*static_cast<const Plan*>(plan), launch);
}

constexpr Launcher kPool = launch_plan<max_pool::Plan, max_pool::launch>;
constexpr Launcher kUnpool = launch_plan<max_unpool::Plan, max_unpool::launch>;
constexpr Launcher kUpsample = launch_plan<upsample_nearest::Plan, upsample_nearest::launch>;
constexpr Launcher kPoolBackward = launch_plan<max_pool_backward::Plan, max_pool_backward::launch>;
constexpr Launcher kUnpoolBackward = launch_plan<max_unpool_backward::Plan, max_unpool_backward::launch>;
constexpr Launcher kUpsampleBackward =
    launch_plan<upsample_nearest_backward::Plan, upsample_nearest_backward::launch>;

constexpr struct {
  std::string_view name;
  Launcher launcher;
} kLaunchers[] = {
    {"aclnnMaxPool3dWithArgmax", kPool},
    {"aclnnMaxPool2dWithIndices", kPool},
    {"aclnnMaxUnpool3d", kUnpool},
    {"aclnnUpsampleNearest3d", kUpsample},
    {"aclnnMaxPool3dWithArgmaxBackward", kPoolBackward},
    {"aclnnMaxPool2dWithIndicesBackward", kPoolBackward},
    {"aclnnMaxUnpool3dBackward", kUnpoolBackward},
    {"aclnnUpsampleNearest3dBackward", kUpsampleBackward},
};

thread_local const void* t_last_kernel = nullptr;

}  // namespace

void note_started_kernel(const void* kernel) { t_last_kernel = kernel; }
const void* last_started_kernel() { return t_last_kernel; }

Launcher find_launcher(std::string_view name) {
  for (const auto& entry : kLaunchers)
    if (entry.name == name) return entry.launcher;
  return nullptr;
}

}  // namespace cairn::cuda
