#include <algorithm>

#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/plane_tiles.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {
namespace {

using cuda::PlaneTiles;
using namespace max_pooling;

constexpr int kMostThreads = 256;

struct PlanesPlan {
  PoolPlan<int> pool;
  PlaneTiles tiles;
  cuda::Divider<std::uint32_t> by_c, by_h, by_w;  // windows of a plane
  cuda::Divider<std::uint32_t> by_windows;
};

// The largest of two, or a NaN if one is.
__device__ inline float largest(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}
__device__ inline std::uint32_t largest(cuda::Float16 /*format*/, std::uint32_t a, std::uint32_t b) {
  return cuda::Float16::word(__hmax2_nan(cuda::Float16::pair(a), cuda::Float16::pair(b)));
}
__device__ inline std::uint32_t largest(cuda::Bfloat16 /*format*/, std::uint32_t a, std::uint32_t b) {
  return cuda::Bfloat16::word(__hmax2_nan(cuda::Bfloat16::pair(a), cuda::Bfloat16::pair(b)));
}

// The largest of a row of a window. In half types Count are read at once, a pack; or, where Count is 1, a
// word, the first and the last of which may have a neighbour of the window.
template <typename Format>
struct FloatRow {
  using Bits = typename Format::Bits;
  int begin, width;

  __device__ float look(const Bits* row) const {
    float most = -INFINITY;
#pragma unroll 4
    for (int k = begin; k < begin + width; ++k) most = largest(most, Format::to_float(row[k]));
    return most;
  }
};
template <typename Format, int Count>
struct HalfRow {
  using Bits = typename Format::Bits;
  static constexpr std::uint32_t kNothing = Format::kMinusInfinity * Format::kEach;
  int begin, width;

  __device__ float look(const Bits* row) const {
    std::uint32_t most = kNothing;
    if constexpr (Count > 1) {
      for (int k = 0; k < width; k += Count) {
        const auto taps = cuda::load_pack<Bits, Count>(row + begin + k);
        std::uint32_t words[Count / 2];
        memcpy(words, &taps, sizeof(taps));
#pragma unroll
        for (const std::uint32_t word : words) most = largest(Format{}, most, word);
      }
    } else {
      const auto* words = reinterpret_cast<const std::uint32_t*>(row);
      const int first = begin / 2;
      const int last = (begin + width - 1) / 2;
      const std::uint32_t before = begin % 2 != 0 ? 0xFFFFU : 0;
      const std::uint32_t after = (begin + width) % 2 != 0 ? 0xFFFF0000U : 0;
      most = cuda::select(before | (first == last ? after : 0), kNothing, words[first]);
#pragma unroll 4
      for (int i = first + 1; i < last; ++i) most = largest(Format{}, most, words[i]);
      if (last > first) most = largest(Format{}, most, cuda::select(after, kNothing, words[last]));
    }
    return largest(Format::to_float(static_cast<Bits>(most & 0xFFFFU)),
                   Format::to_float(static_cast<Bits>(most >> 16)));
  }
};
template <typename Format, int Count>
using Row = std::conditional_t<Format::kLanes == 1, FloatRow<Format>, HalfRow<Format, Count>>;

// A thread looks for the largest of its window's rows, and then for that in the first row that has it.
template <typename Format, int Count>
__device__ void pool_tile(const PlanesPlan& plan, unsigned tile, const typename Format::Bits* staged) {
  using Bits = typename Format::Bits;
  const PoolPlan<int>& pool = plan.pool;
  const unsigned first = tile * plan.tiles.slices;
  const unsigned slices = min(plan.tiles.slices, plan.tiles.all_slices - first);
  for (unsigned item = threadIdx.x; item < slices * plan.tiles.windows; item += blockDim.x) {
    const unsigned slice = plan.by_windows.divide(item);
    cuda::Digits<std::uint32_t> digits{plan.by_windows.rest(item, slice)};
    const auto w = static_cast<int>(digits.next(plan.by_w));
    const auto h = static_cast<int>(digits.next(plan.by_h));
    const auto d = static_cast<int>(digits.left);
    const auto in_d = pool.axes.d.taps(d);
    const auto in_h = pool.axes.h.taps(h);
    const auto in_w = pool.axes.w.taps(w);
    const Row<Format, Count> taps{in_w.start + in_w.first, in_w.end - in_w.first};
    const Bits* plane = staged + slice * plan.tiles.cells;
    const int width = pool.axes.w.in;
    int best_row = ((in_d.start + in_d.first) * pool.axes.h.in + in_h.start + in_h.first) * width;
    float best = -INFINITY;
    bool plain = true;
    for (int a = in_d.first; a < in_d.end; ++a) {
      int row = ((in_d.start + a) * pool.axes.h.in + in_h.start + in_h.first) * width;
      for (int b = in_h.first; b < in_h.end; ++b, row += width) {
        const float most = taps.look(plane + row);
        plain = plain && !isnan(most);
        best_row = most > best ? row : best_row;
        best = most > best ? most : best;
      }
    }
    const unsigned at = first + slice;
    const std::int64_t n = plan.by_c.divide(at);
    const std::int64_t c = plan.by_c.rest(at, static_cast<std::uint32_t>(n));
    if (!plain) {
      pool_window<Format>(pool, n, c, d, h, w);
      continue;
    }
    int index = best_row + taps.begin;
    for (int k = taps.width - 1; k >= 0; --k)
      if (Format::to_float(plane[best_row + taps.begin + k]) == best) index = best_row + taps.begin + k;
    static_cast<Bits*>(pool.values)[pool.to.slice(n, c) + pool.to.place(d, h, w)] = plane[index];
    const std::int64_t to = pool.index_to.slice(n, c) + pool.index_to.place(d, h, w);
    if (pool.wide_indices) {
      static_cast<std::int64_t*>(pool.indices)[to] = index;
    } else {
      static_cast<std::int32_t*>(pool.indices)[to] = index;
    }
  }
}

template <typename Format, int Count>
__global__ void __launch_bounds__(kMostThreads) pool_planes(const __grid_constant__ PlanesPlan plan) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  using Bits = typename Format::Bits;
  cuda::let_next_kernel_come();
  cuda::wait_for_kernel_before();
  plan.tiles.for_each<Bits>(shared_bytes, [&plan](unsigned tile, const Bits* staged) {
    pool_tile<Format, Count>(plan, tile, staged);
  });
}

// Every row of every window is whole packs.
bool rows_are_packs(const Plan& plan) {
  const std::int64_t count = PlaneTiles::kPackBytes / static_cast<std::int64_t>(size_of(plan.type));
  return plan.stride.w > 0 && plan.in.w % count == 0 && plan.kernel.w % count == 0 &&
         (plan.out.w == 1 || plan.stride.w % count == 0);
}
PlaneTiles::Room room_of(const Plan& plan) {
  if (rows_are_packs(plan)) return {.rooms = 2, .bytes = 23 << 10, .windows = 128};
  return {.rooms = 1, .bytes = 44 << 10, .windows = kMostThreads};
}

// Along one axis, windows that share more than a cell with the next, or are not inside.
bool is_far_from_apart(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                       std::int64_t padding) {
  if (stride == 0) return in < out;
  return padding > 0 || (out - 1) * stride + kernel > in || (out > 1 && kernel > stride + 1);
}

}  // namespace

const char* why_not_planes(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  const auto is_far = [&plan](auto axis) {
    return is_far_from_apart(plan.in.*axis, plan.out.*axis, plan.kernel.*axis, plan.stride.*axis,
                             plan.padding.*axis);
  };
  if (is_far(&Size3::d) || is_far(&Size3::h) || is_far(&Size3::w))
    return "windows share cells, or are padded";
  if (plan.kernel.count() < 16 || plan.kernel.w < 4) return "windows are small";
  if (!is_dense(plan.self, plan.n, plan.c, plan.in)) return "there are gaps between cells";
  if (plan.in.w * size_of(plan.type) % 4 != 0) return "rows are not whole words";
  if (plan.type == DataType::kFloat && rows_are_packs(plan)) return "columns are as fast with packs of FLOAT";
  return PlaneTiles::why_not(plan.self.data, size_of(plan.type), plan.in, plan.out, room_of(plan));
}

cudaError_t run_planes(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    using Format = cuda::Format<T>;
    const PlaneTiles::Room room = room_of(plan);
    PlanesPlan planes{};
    planes.pool = pool_plan<int>(plan, plan.c, {1, 1, 1});
    planes.tiles = PlaneTiles(plan.self.data, sizeof(T), plan.n * plan.c, plan.in, plan.out, room);
    planes.by_c = Divider(plan.c);
    planes.by_h = Divider(plan.out.h);
    planes.by_w = Divider(plan.out.w);
    planes.by_windows = Divider(plan.out.count());
    const std::int64_t windows = std::int64_t{planes.tiles.slices} * planes.tiles.windows;
    const auto threads =
        static_cast<int>(std::min<std::int64_t>(kMostThreads, cuda::divide_up(windows, 32) * 32));
    auto* kernel = pool_planes<Format, 1>;
    if constexpr (Format::kLanes > 1)
      if (rows_are_packs(plan)) kernel = pool_planes<Format, PlaneTiles::kPackBytes / sizeof(T)>;
    return cuda::start_kernel(kernel, planes, planes.tiles.blocks(room, threads, launch.multiprocessors),
                              threads, static_cast<std::size_t>(planes.tiles.bytes(room)), launch.stream);
  });
}

}  // namespace cairn::max_pool
