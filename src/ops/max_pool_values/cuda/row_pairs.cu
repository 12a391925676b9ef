#include "ops/max_pool_values/cuda/methods.h"
#include "ops/max_pool_values/cuda/plan.h"

namespace cairn::max_pool_values {
namespace {

constexpr int kPackBytes = 16;
constexpr int kHigh = 2;  // windows along H that a thread takes

template <typename Lane>
constexpr int kCells = kPackBytes / static_cast<int>(sizeof(Lane));  // of a row that a thread loads at once
template <typename Lane>
constexpr int kWide = kCells<Lane> / 2;  // windows of it

// A row of cells under a thread's windows, from the first tap of the first on, as keys. Padding is least.
template <int Kernel, typename Lane>
struct Row {
  static constexpr int kBefore = Kernel - 2;  // cells before the pack: kernel 3 has padding 1
  Lane at[kCells<Lane> + kBefore];

  __device__ void load(const PoolPlan<Lane>& plan, const Lane* plane, std::int64_t h, std::int64_t w,
                       bool& minus_zero) {
    const bool there = h >= 0 && h < plan.axes.h.in;
    const Lane* from = plane + h * plan.from.h + w;
    const auto key = [&](Lane bits) {
      minus_zero |= bits == OrderKey<Lane>::kLeast;
      return plan.keys.key(bits);
    };
    if (there) {
      const auto pack = cuda::load_pack<Lane, kCells<Lane>>(from);
#pragma unroll
      for (int i = 0; i < kCells<Lane>; ++i) at[kBefore + i] = key(pack.at[i]);
    } else {
#pragma unroll
      for (int i = 0; i < kCells<Lane>; ++i) at[kBefore + i] = OrderKey<Lane>::kLeast;
    }
    if constexpr (kBefore == 1) at[0] = there && w > 0 ? key(from[-1]) : OrderKey<Lane>::kLeast;
  }

  __device__ void take(Lane (&best)[kWide<Lane>]) const {
#pragma unroll
    for (int o = 0; o < kWide<Lane>; ++o) {
#pragma unroll
      for (int k = 0; k < Kernel; ++k) best[o] = larger(best[o], at[2 * o + k]);
    }
  }
};

// Windows of Kernel by Kernel, two apart, padded in front by Kernel - 2. A row of cells is a whole number of
// packs.
template <int Kernel, typename Lane>
__global__ void __launch_bounds__(kThreads) pool_row_pairs(const __grid_constant__ PoolPlan<Lane> plan) {
  constexpr int kRows = 2 * (kHigh - 1) + Kernel;
  cuda::let_next_kernel_come();
  const std::uint64_t item = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.template place_of<std::int64_t>(item, false);
  const std::int64_t h = place.h * kHigh;
  const std::int64_t w = place.w * kWide<Lane>;
  cuda::wait_for_kernel_before();
  const Lane* plane = plan.from.slice_of(static_cast<const Lane*>(plan.self), place.n, place.slice);
  Lane best[kHigh][kWide<Lane>];
#pragma unroll
  for (auto& row : best)
#pragma unroll
    for (Lane& one : row) one = OrderKey<Lane>::kLeast;
  bool minus_zero = false;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    Row<Kernel, Lane> row;
    row.load(plan, plane, 2 * h - (Kernel - 2) + r, 2 * w, minus_zero);
#pragma unroll
    for (int o = 0; o < kHigh; ++o)
      if (r >= 2 * o && r < 2 * o + Kernel) row.take(best[o]);
  }
  Lane* values = plan.to.slice_of(static_cast<Lane*>(plan.values), place.n, place.slice);
#pragma unroll
  for (int o = 0; o < kHigh; ++o) {
    if (h + o >= plan.axes.h.out) break;
    cuda::Pack<Lane, kWide<Lane>> pack;
#pragma unroll
    for (int i = 0; i < kWide<Lane>; ++i) {
      if (is_doubtful(plan, best[o][i], minus_zero))
        best[o][i] = best_of_window<Lane>(plan, place.n, place.slice, 0, h + o, w + i);
      pack.at[i] = plan.keys.bits(best[o][i]);
    }
    cuda::store_pack(values + (h + o) * plan.to.h + w, pack);
  }
}

}  // namespace

const char* why_not_row_pairs(const Plan& plan) {
  const int element = size_of(plan.type);
  const std::int64_t cells = kPackBytes / element;
  const View5& from = plan.self;
  const View5& to = plan.values;
  const std::int64_t kernel = plan.kernel.w;
  if (plan.n * plan.c * plan.out.count() == 0) return "no windows";
  if (plan.in.d != 1 || plan.out.d != 1 || plan.kernel.d != 1) return "planes have slabs";
  if ((kernel != 2 && kernel != 3) || plan.kernel.h != kernel) return "windows are not two or three wide";
  if (plan.stride.h != 2 || plan.stride.w != 2) return "windows are not two apart";
  if (plan.padding.h != kernel - 2 || plan.padding.w != kernel - 2 || plan.padding.d != 0)
    return "padding is not one less than half a window";
  if (plan.dilation.h != 1 || plan.dilation.w != 1) return "dilation";
  if (from.w != 1 || to.w != 1) return "neighbours along W do not adjoin";
  if (plan.in.w % cells != 0 || plan.out.w * 2 != plan.in.w) return "rows are no whole packs";
  if (!cuda::in_packs(from.data, element, cells, {from.n, from.c, from.h}) ||
      !cuda::in_packs(to.data, element, cells / 2, {to.n, to.c, to.h}))
    return "rows do not begin with packs";
  return nullptr;
}

cudaError_t run_row_pairs(const Plan& plan, const cuda::CudaLaunch& launch) {
  return by_lane(plan, [&]<typename Lane>(cuda::Tag<Lane>) {
    const Size3 items{1, cuda::divide_up(plan.out.h, kHigh), plan.out.w / kWide<Lane>};
    const PoolPlan<Lane> result = pool_plan<Lane>(plan, plan.c, items);
    return plan.kernel.w == 2 ? start(pool_row_pairs<2, Lane>, result, launch)
                              : start(pool_row_pairs<3, Lane>, result, launch);
  });
}

}  // namespace cairn::max_pool_values
