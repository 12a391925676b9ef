#include "ops/max_pool_values/cuda/methods.h"
#include "ops/max_pool_values/cuda/plan.h"

namespace cairn::max_pool_values {
namespace {

constexpr int kPackBytes = 16;

template <typename Lane>
__global__ void __launch_bounds__(kThreads) pool_channels(const __grid_constant__ PoolPlan<Lane> plan) {
  constexpr int kPack = kPackBytes / static_cast<int>(sizeof(Lane));
  cuda::let_next_kernel_come();
  const std::uint64_t item = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.template place_of<std::int64_t>(item, true);
  const std::int64_t channel = place.slice * kPack;
  const auto taps_d = plan.axes.d.taps(place.d);
  const auto taps_h = plan.axes.h.taps(place.h);
  const auto taps_w = plan.axes.w.taps(place.w);
  Lane best[kPack];
#pragma unroll
  for (Lane& one : best) one = OrderKey<Lane>::kLeast;
  bool minus_zero = false;
  cuda::wait_for_kernel_before();
  const Lane* channels = plan.from.slice_of(static_cast<const Lane*>(plan.self), place.n, channel);
  for (std::int64_t a = taps_d.first; a < taps_d.end; ++a) {
    for (std::int64_t b = taps_h.first; b < taps_h.end; ++b) {
      const Lane* row = channels + plan.from.place(taps_d.start + a * plan.axes.d.dilation,
                                                   taps_h.start + b * plan.axes.h.dilation, 0);
      for (std::int64_t e = taps_w.first; e < taps_w.end; ++e) {
        const auto tap =
            cuda::load_pack<Lane, kPack>(row + (taps_w.start + e * plan.axes.w.dilation) * plan.from.w);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          minus_zero |= tap.at[i] == OrderKey<Lane>::kLeast;
          best[i] = larger(best[i], plan.keys.key(tap.at[i]));
        }
      }
    }
  }
  cuda::Pack<Lane, kPack> values;
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    if (is_doubtful(plan, best[i], minus_zero))
      best[i] = best_of_window(plan, place.n, channel + i, place.d, place.h, place.w);
    values.at[i] = plan.keys.bits(best[i]);
  }
  cuda::store_pack(plan.to.slice_of(static_cast<Lane*>(plan.values), place.n, channel) +
                       plan.to.place(place.d, place.h, place.w),
                   values);
}

}  // namespace

const char* why_not_channels(const Plan& plan) {
  const int pack = kPackBytes / size_of(plan.type);
  const auto packs = [&](const View5& view) {
    return view.c == 1 &&
           cuda::in_packs(view.data, size_of(plan.type), pack, {plan.c, view.n, view.d, view.h, view.w});
  };
  if (plan.n * plan.c * plan.out.count() == 0) return "no windows";
  if (plan.c == 1 || !packs(plan.self) || !packs(plan.values)) return "channels do not lie in packs";
  return nullptr;
}

cudaError_t run_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  return by_lane(plan, [&]<typename Lane>(cuda::Tag<Lane>) {
    constexpr std::int64_t kPack = kPackBytes / sizeof(Lane);
    return start(pool_channels<Lane>, pool_plan<Lane>(plan, plan.c / kPack, plan.out), launch);
  });
}

}  // namespace cairn::max_pool_values
