#pragma once

#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"

namespace cairn::upsample_nearest_backward {

// W is regular with this factor, and a pack of positions holds whole cells: a thread sums those, so that
// neighbours load neighbouring packs.
template <typename T, int Factor, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_runs(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kCount = 16 / sizeof(T);
  constexpr int kCells = kCount / Factor;
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = Place<Coord>::template of<false>(plan, item);
  const Coord last_d = plan.d.low(place.d + 1);
  const Coord first_h = plan.h.low(place.h);
  const Coord last_h = plan.h.low(place.h + 1);
  cuda::wait_for_kernel_before();
  const T* from =
      static_cast<const T*>(plan.grad_out) + place.n * plan.from.n + place.c * plan.from.c + place.w * kCount;
  cuda::Sum<T> sums[kCells] = {};
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    for (Coord h = first_h; h < last_h; ++h) {
      const auto pack = cuda::load_pack<T, kCount>(from + d * plan.from.d + h * plan.from.h);
#pragma unroll
      for (int i = 0; i < kCount; ++i) sums[i / Factor] += cuda::widen(pack.at[i]);
    }
  }
  cuda::Pack<T, kCells> result;
#pragma unroll
  for (int i = 0; i < kCells; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * kCells,
                   result);
}

inline constexpr int kRunRows = 4;

// Planes of one row each; items are packs of groups of channels.
struct RowsPlan {
  const void* grad_out;
  void* grad_input;
  std::int64_t from_n, from_c, to_n, to_c;
  cuda::Divider<unsigned> by_packs, by_groups;
  int channels;
  int items;
};

// The same where a plane is one row: a thread takes several channels, and all loads are under way before the
// first store.
template <typename T, int Factor>
__global__ void __launch_bounds__(kThreads) sum_runs_of_rows(const __grid_constant__ RowsPlan plan) {
  constexpr int kCount = 16 / sizeof(T);
  constexpr int kCells = kCount / Factor;
  cuda::let_next_kernel_come();
  const int item = thread_number<int>();
  if (item >= plan.items) return;
  cuda::Digits<unsigned> digits{static_cast<unsigned>(item)};
  const auto w = static_cast<std::int64_t>(digits.next(plan.by_packs));
  const int c = static_cast<int>(digits.next(plan.by_groups)) * kRunRows;
  const auto n = static_cast<std::int64_t>(digits.left);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + n * plan.from_n + w * kCount;
  T* to = static_cast<T*>(plan.grad_input) + n * plan.to_n + w * kCells;
  cuda::Pack<T, kCount> packs[kRunRows];
#pragma unroll
  for (int row = 0; row < kRunRows; ++row)
    packs[row] = cuda::load_pack<T, kCount>(from + min(c + row, plan.channels - 1) * plan.from_c);
#pragma unroll
  for (int row = 0; row < kRunRows; ++row) {
    cuda::Sum<T> sums[kCells] = {};
#pragma unroll
    for (int i = 0; i < kCount; ++i) sums[i / Factor] += cuda::widen(packs[row].at[i]);
    cuda::Pack<T, kCells> result;
#pragma unroll
    for (int i = 0; i < kCells; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
    if (c + row < plan.channels) cuda::store_pack(to + (c + row) * plan.to_c, result);
  }
}

}  // namespace cairn::upsample_nearest_backward
