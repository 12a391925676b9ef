#include <algorithm>

#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/plane_tiles.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"
#include "ops/mean_pool/cuda/row_packs.h"

namespace cairn::mean_pool {
namespace {

using cuda::PlaneTiles;

constexpr int kMostThreads = 256;

struct PlanesPlan : cuda::NarrowMeans<float> {
  PlaneTiles tiles;
};

// Threads sum a window each. Count: taps of a row that are read at once.
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
    const T* plane = staged + digits.left * plan.tiles.cells + in_w.begin;
    const int width = in_w.size();
    float sum = 0;
    for (int i = in_d.begin; i < in_d.end; ++i) {
      const T* row = plane + (i * plan.h.in + in_h.begin) * plan.w.in;
      for (int j = in_h.begin; j < in_h.end; ++j, row += plan.w.in) {
#pragma unroll 4
        for (int k = 0; k < width; k += Count) {
          const auto pack = cuda::load_pack<T, Count>(row + k);
#pragma unroll
          for (const T tap : pack.at) sum += cuda::widen(tap);
        }
      }
    }
    const unsigned slice = first + digits.left;
    const auto n = static_cast<int>(plan.by_c.divide(slice));
    const auto c = static_cast<int>(plan.by_c.rest(slice, n));
    const float by = plan.divisor_of(d, h, w, in_d.size() * in_h.size() * width);
    static_cast<T*>(plan.written)[plan.to.slice(n, c) + plan.to.place(d, h, w)] = cuda::narrow<T>(sum / by);
  }
}

template <typename T, int Count>
__global__ void __launch_bounds__(kMostThreads) pool_planes(const __grid_constant__ PlanesPlan plan) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
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
    const auto kernel = rows_are_packs(plan, kFull) ? pool_planes<T, kFull> : pool_planes<T, 1>;
    return cuda::start_kernel(kernel, planes, planes.tiles.blocks(room, threads, launch.multiprocessors),
                              threads, static_cast<std::size_t>(planes.tiles.bytes(room)), launch.stream);
  });
}

}  // namespace cairn::mean_pool
