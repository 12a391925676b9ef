#include <algorithm>

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/plane_tiles.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"
#include "ops/mean_pool/cuda/row_packs.h"

namespace cairn::mean_pool {
namespace {

using cuda::PlaneTiles;

constexpr int kMostThreads = 256;
constexpr int kWords = 2;
constexpr int kUsual = 8;  // taps of a row, for which loops are unrolled

struct PlanesPlan : cuda::NarrowMeans<float> {
  PlaneTiles tiles;
};

// Adds a row of a window. H200, us with a known width and with any: g2-56to7 FLOAT16 29.9 and 32.8,
// g2-50to7 27.3 and 29.4.
//
// Count: taps that are read at once; kWords: two halves, which lie in words that windows need not begin with.
// Width: how many taps a row has, if that is known.
template <typename T, int Count, int Width>
__device__ float add_row(float sum, const T* row, const cuda::Cells& of_w) {
  const int width = Width > 0 ? Width : of_w.size();
  if constexpr (Count == kWords) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(row) + of_w.begin / 2;
    const unsigned pick = of_w.begin % 2 != 0 ? 0x5432U : 0x3210U;
    std::uint32_t low = words[0];
#pragma unroll(Width > 0 ? Width / 2 : 4)
    for (int k = 0; k + 1 < width; k += 2) {
      const std::uint32_t high = words[k / 2 + 1];
      const std::uint32_t pair = __byte_perm(low, high, pick);
      T taps[2];
      memcpy(taps, &pair, sizeof(pair));
      sum += cuda::widen(taps[0]);
      sum += cuda::widen(taps[1]);
      low = high;
    }
    return width % 2 != 0 ? sum + cuda::widen(row[of_w.end - 1]) : sum;
  } else {
#pragma unroll(Width > 0 ? Width / Count : 4)
    for (int k = 0; k < width; k += Count) {
      const auto pack = cuda::load_pack<T, Count>(row + of_w.begin + k);
#pragma unroll
      for (const T tap : pack.at) sum += cuda::widen(tap);
    }
    return sum;
  }
}
template <typename T, int Count, int Width>
__device__ float add_window(const PlanesPlan& plan, const T* plane, const cuda::Cells& of_d,
                            const cuda::Cells& of_h, const cuda::Cells& of_w) {
  float sum = 0;
  for (int d = of_d.begin; d < of_d.end; ++d) {
    const T* row = plane + (d * plan.h.in + of_h.begin) * plan.w.in;
#pragma unroll(Width > 0 ? 4 : 1)
    for (int h = of_h.begin; h < of_h.end; ++h, row += plan.w.in)
      sum = add_row<T, Count, Width>(sum, row, of_w);
  }
  return sum;
}

// Threads sum a window each.
template <typename T, int Count>
__device__ void pool_tile(const PlanesPlan& plan, unsigned tile, const T* staged) {
  const unsigned first = tile * plan.tiles.slices;
  const unsigned slices = min(plan.tiles.slices, plan.tiles.all_slices - first);
  for (unsigned window = threadIdx.x; window < slices * plan.tiles.windows; window += blockDim.x) {
    cuda::Digits<std::uint32_t> digits{window};
    const auto w = static_cast<int>(digits.next(plan.by_w));
    const auto h = static_cast<int>(digits.next(plan.by_h));
    const auto d = static_cast<int>(digits.next(plan.by_d));
    const cuda::Cells in_d = plan.d.cells(d);
    const cuda::Cells in_h = plan.h.cells(h);
    const cuda::Cells in_w = plan.w.cells(w);
    const T* plane = staged + digits.left * plan.tiles.cells;
    const int width = in_w.size();
    const float sum = width == kUsual ? add_window<T, Count, kUsual>(plan, plane, in_d, in_h, in_w)
                                      : add_window<T, Count, 0>(plan, plane, in_d, in_h, in_w);
    const unsigned slice = first + digits.left;
    const auto n = static_cast<int>(plan.by_c.divide(slice));
    const auto c = static_cast<int>(plan.by_c.rest(slice, n));
    const float by = plan.divisor_of(d, h, w, in_d.size() * in_h.size() * width);
    static_cast<T*>(plan.written)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = cuda::narrow<T>(sum / by);
  }
}

template <typename T, int Count>
__global__ void __launch_bounds__(kMostThreads) pool_planes(const __grid_constant__ PlanesPlan plan) {
  CAIRN_SHARED_MEMORY(unsigned char, shared_bytes);
  cuda::let_next_kernel_come();
  cuda::wait_for_kernel_before();
  plan.tiles.for_each<T>(
      shared_bytes, [&plan](unsigned tile, const T* staged) { pool_tile<T, Count>(plan, tile, staged); });
}

// Single taps take longer than packs, and what counts is how many windows a multiprocessor has at once: with
// room for one tile g2-50to7 FLOAT16 reaches 70 %, for two 57.
PlaneTiles::Room room_of(const Plan& plan) {
  if (rows_are_packs(plan, PlaneTiles::kPackBytes / static_cast<std::int64_t>(size_of(plan.type))))
    return {.rooms = 2, .bytes = 23 << 10, .windows = 128};
  return {.rooms = 1, .bytes = 44 << 10, .windows = 256};
}

}  // namespace

const char* why_not_planes(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (plan.d.most_cells() * plan.h.most_cells() * plan.w.most_cells() > long_sum::kLanes)
    return "windows have more than 64 taps";
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  if (!is_dense(plan.self, plan.n, plan.c, in)) return "there are gaps between cells";
  return PlaneTiles::why_not(plan.self.data, size_of(plan.type), in, {plan.d.out, plan.h.out, plan.w.out},
                             room_of(plan));
}

cudaError_t run_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kFull = PlaneTiles::kPackBytes / sizeof(T);
    const Size3 out{plan.d.out, plan.h.out, plan.w.out};
    PlanesPlan planes;
    static_cast<cuda::NarrowMeans<float>&>(planes) =
        cuda::narrow_means<float>(plan, plan.self, plan.values, plan.c, out);
    const PlaneTiles::Room room = room_of(plan);
    planes.tiles =
        PlaneTiles(plan.self.data, sizeof(T), plan.n * plan.c, {plan.d.in, plan.h.in, plan.w.in}, out, room);
    const std::int64_t windows = std::int64_t{planes.tiles.slices} * planes.tiles.windows;
    const auto threads =
        static_cast<int>(std::min<std::int64_t>(kMostThreads, cuda::divide_up(windows, 32) * 32));
    auto* kernel = rows_are_packs(plan, kFull) ? pool_planes<T, kFull> : pool_planes<T, 1>;
    if constexpr (sizeof(T) == 2)
      if (!rows_are_packs(plan, kFull) && plan.w.in % 2 == 0) kernel = pool_planes<T, kWords>;
    return cuda::start_kernel(kernel, planes, planes.tiles.blocks(room, threads, launch.multiprocessors),
                              threads, static_cast<std::size_t>(planes.tiles.bytes(room)), launch.stream);
  });
}

}  // namespace cairn::mean_pool
