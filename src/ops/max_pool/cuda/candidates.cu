#include <algorithm>
#include <array>

#include "ops/candidate.h"
#include "ops/max_pool/cuda/candidates.h"
#include "ops/max_pool/cuda/channels.cuh"
#include "ops/max_pool/cuda/plan.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {
namespace {

// With room for a tile more, and for windows that begin in the padding.
bool fits_int(const Plan& plan) {
  constexpr std::int64_t kMost = 1 << 29;
  const auto below = [](const Size3& size) { return std::max({size.d, size.h, size.w}) < kMost; };
  const auto reach = [](std::int64_t out, std::int64_t stride) {
    return stride < kMost && out * stride < kMost;
  };
  return cuda::plane_below(kMost, plan.self, plan.in) && cuda::plane_below(kMost, plan.values, plan.out) &&
         cuda::plane_below(kMost, plan.indices, plan.out) && plan.in.d * plan.in.h < kMost &&
         plan.in.count() < kMost && below(plan.kernel) && below(plan.padding) && below(plan.dilation) &&
         reach(plan.out.d, plan.stride.d) && reach(plan.out.h, plan.stride.h) &&
         reach(plan.out.w, plan.stride.w) && plan.n * plan.c < kMost &&
         plan.n * plan.c * plan.out.count() < INT32_MAX - kThreads;
}

bool is_dense_window(const Plan& plan) {
  const auto one = [](std::int64_t dilation, std::int64_t kernel) { return dilation == 1 || kernel == 1; };
  return one(plan.dilation.d, plan.kernel.d) && one(plan.dilation.h, plan.kernel.h) &&
         one(plan.dilation.w, plan.kernel.w);
}

template <typename Format, typename Coord>
cudaError_t launch_any(const Plan& plan, const cuda::CudaLaunch& launch) {
  PoolPlan<Coord> result = pool_plan<Coord>(plan, plan.c, {1, 1, 1});
  result.slices_last = plan.c > 1 && plan.values.c == 1;
  return cuda::start_kernel(pool_windows<Format, Coord>, result, cuda::divide_up(result.items, kThreads),
                            kThreads, 0, launch.stream);
}

template <typename Format>
bool channels_adjoin(const Plan& plan) {
  const auto packs = [&plan](const View5& view, int element) {
    return view.c == 1 &&
           cuda::in_packs(view.data, element, kChannels, {plan.c, view.n, view.d, view.h, view.w});
  };
  constexpr int kBytes = sizeof(typename Format::Bits);
  const View5& to = plan.values;
  return plan.c > 1 && packs(plan.self, kBytes) && packs(to, kBytes) &&
         packs(plan.indices, size_of(plan.index_type)) && to.d == plan.indices.d && to.h == plan.indices.h &&
         to.w == plan.indices.w &&
         (Format::kLanes == 1 || (offsets_fit_half(plan, plan.kernel.h) && plan.kernel.d < 1 << 16));
}

template <typename Format>
cudaError_t launch_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  PoolPlan<int> result = pool_plan<int>(plan, plan.c / kChannels, {1, 1, 1});
  const auto start = [&](void (*kernel)(PoolPlan<int>)) {
    return cuda::start_kernel(kernel, result, cuda::divide_up(result.items, kThreads), kThreads, 0,
                              launch.stream);
  };
  if (plan.kernel.w == 3) return start(pool_channels<Format, 3>);
  return start(pool_channels<Format, 0>);
}

template <typename Format>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (!fits_int(plan)) return launch_any<Format, std::int64_t>(plan, launch);
  if (plan.in.count() > 0 && is_dense_window(plan)) {
    const bool channels = channels_adjoin<Format>(plan);
    if (const auto tiled = launch_tiles(plan, channels, launch)) return *tiled;
    if (channels) return launch_channels<Format>(plan, launch);
  }
  return launch_any<Format, int>(plan, launch);
}

cudaError_t launch(const Plan& given, const cuda::CudaLaunch& launch) {
  if (given.n * given.c * given.out.count() == 0) return cudaSuccess;
  Plan plan = given;
  plan.self = counted_strides(plan.self, plan.n, plan.c, plan.in);
  plan.values = counted_strides(plan.values, plan.n, plan.c, plan.out);
  plan.indices = counted_strides(plan.indices, plan.n, plan.c, plan.out);
  switch (plan.type) {
    case DataType::kFloat:
      return launch_typed<Float32>(plan, launch);
    case DataType::kFloat16:
      return launch_typed<Float16>(plan, launch);
    case DataType::kBf16:
      return launch_typed<Bfloat16>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_pool
