#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tiling.h"

namespace cairn::max_unpool {
namespace {

constexpr int kPair = 2;   // windows that follow each other in a row
constexpr int kCells = 4;  // of a pair, in each of its two rows

struct PairsPlan {
  const void* self;
  const void* indices;
  void* out;
  unsigned items;  // pairs
  unsigned row_pairs;
  int row_cells, plane_size;
  cuda::Divider<std::uint32_t> by_row, by_h;  // pairs of a row, rows of windows of a plane
  cuda::FaultSink faults;
};

// Where the cells of a pair begin: in its plane, and in out.
struct PairPlace {
  unsigned row;  // of windows, over all planes
  unsigned plane;
  unsigned first;
  std::int64_t out;

  __device__ PairPlace(const PairsPlan& plan, unsigned item)
      : row(plan.by_row.divide(item)), plane(plan.by_h.divide(row)) {
    const unsigned h = plan.by_h.rest(row, plane);
    // A row of pairs is as many packs as a row of cells, and has two of those.
    first = (plan.by_row.rest(item, row) + 2 * h * plan.row_pairs) * kCells;
    out = (std::int64_t{item} + std::int64_t{row} * plan.row_pairs) * kCells;
  }
};

// Where an index is, seen from a window's first cell; far off where it is outside.
template <typename Index>
__device__ unsigned seen_from(unsigned first, Index index) {
  const unsigned away = static_cast<unsigned>(index) - first;
  if constexpr (sizeof(Index) > sizeof(unsigned)) {
    if (static_cast<std::make_unsigned_t<Index>>(index) >> 32 != 0) return UINT32_MAX;
  }
  return away;
}

// An index of the pair names none of its window's own cells: the plane needs repair, unless it is outside.
template <typename Index>
__device__ __noinline__ void look_elsewhere(const PairsPlan& plan, unsigned item, unsigned plane,
                                            unsigned first) {
  for (int i = 0; i < kPair; ++i) {
    const std::int64_t position = std::int64_t{item} * kPair + i;
    const Index index = static_cast<const Index*>(plan.indices)[position];
    const auto row = static_cast<unsigned>(plan.row_cells);
    const unsigned away = seen_from(first + 2 * i, index);
    if (index == Index{-1} || away <= 1 || away - row <= 1) continue;
    if (static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) <
        static_cast<std::uint64_t>(plan.plane_size)) {
      cuda::repairs_of(plan.faults).add(plane);
    } else {
      cuda::report_fault(plan.faults, position, index, plan.plane_size);
    }
  }
}

// Windows of two by two cells. A thread has a pair of them, and writes their cells: loads and stores of a
// warp lie side by side, and with nothing between them but registers all of its threads fit.
template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads) unpool_pairs(const __grid_constant__ PairsPlan plan) {
  cuda::let_next_kernel_come();
  const unsigned item = blockIdx.x * kThreads + threadIdx.x;
  if (item >= plan.items) return;
  const PairPlace place(plan, item);
  const auto row = static_cast<unsigned>(plan.row_cells);
  cuda::wait_for_kernel_before();
  const std::int64_t position = std::int64_t{item} * kPair;
  const auto index = cuda::load_pack<Index, kPair>(static_cast<const Index*>(plan.indices) + position);
  const auto value = cuda::load_pack<T, kPair>(static_cast<const T*>(plan.self) + position);
  cuda::Pack<T, kCells> upper, lower;
  bool elsewhere = false;
#pragma unroll
  for (int k = 0; k < kPair; ++k) {
    const unsigned away = seen_from(place.first + 2 * k, index.at[k]);
    const T it = value.at[k];
    upper.at[2 * k] = away == 0 ? it : T{};
    upper.at[2 * k + 1] = away == 1 ? it : T{};
    lower.at[2 * k] = away == row ? it : T{};
    lower.at[2 * k + 1] = away == row + 1 ? it : T{};
    elsewhere |= (away > 1) & (away - row > 1);
  }
  T* to = static_cast<T*>(plan.out) + place.out;
  cuda::store_pack(to, upper);
  cuda::store_pack(to + row, lower);
  if (elsewhere) look_elsewhere<Index>(plan, item, place.plane, place.first);
}

}  // namespace

const char* why_not_pairs(const Plan& plan) {
  if (is_empty(plan)) return "there are no windows";
  if (plan.unpooled.d != plan.pooled.d || plan.unpooled.h != 2 * plan.pooled.h ||
      plan.unpooled.w != 2 * plan.pooled.w)
    return "windows are not two by two cells";
  if (plan.pooled.w % kPair != 0) return "rows are not pairs of windows";
  if (has_gaps(plan)) return "out has gaps";
  if (!is_dense(plan)) return "self or indices have gaps, or do not lie in packs";
  if (!cuda::are_narrow({plan.unpooled.count(), plan.n * plan.c * plan.pooled.count() / kPair}))
    return "places need 64 bits";
  if (size_of(plan.type) > 4) return "the cells of a pair fill more than a pack";
  return cuda::in_packs(plan.out.data, size_of(plan.type), kCells, {}) ? nullptr
                                                                       : "out does not begin with a pack";
}

cudaError_t run_pairs(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  const std::int64_t items = plan.n * plan.c * plan.pooled.count() / kPair;
  const PairsPlan pairs{.self = plan.self.data,
                        .indices = plan.indices.data,
                        .out = plan.out.data,
                        .items = static_cast<unsigned>(items),
                        .row_pairs = static_cast<unsigned>(plan.pooled.w / kPair),
                        .row_cells = static_cast<int>(plan.unpooled.w),
                        .plane_size = static_cast<int>(plan.unpooled.count()),
                        .by_row = Divider(plan.pooled.w / kPair),
                        .by_h = Divider(plan.pooled.d * plan.pooled.h),
                        .faults = cuda::fault_sink(launch)};
  const cudaError_t error = cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      return cuda::start_kernel(unpool_pairs<T, Index>, pairs, cuda::divide_up(items, kThreads), kThreads, 0,
                                launch.stream);
    });
  });
  return error != cudaSuccess ? error : run_repair(plan, launch);
}

}  // namespace cairn::max_unpool
