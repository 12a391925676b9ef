#include <algorithm>

#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/plane_tiles.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {
namespace {

using cuda::PlaneTiles;
using namespace max_pooling;

constexpr int kMostThreads = 256;
constexpr int kUsual = 8;  // cells of a window's row, for which loops are unrolled

struct PlanesPlan {
  PoolPlan<int> pool;
  PlaneTiles tiles;
  cuda::Divider<std::uint32_t> by_c, by_d, by_h, by_w;  // windows of a plane
  cuda::Divider<std::uint32_t> by_windows;
};

// The largest of two, or a NaN if one is.
__device__ inline float largest(float a, float b) { return cuda::largest_or_nan(a, b); }
__device__ inline std::uint32_t largest(cuda::Float16 /*format*/, std::uint32_t a, std::uint32_t b) {
  return cuda::Float16::word(__hmax2_nan(cuda::Float16::pair(a), cuda::Float16::pair(b)));
}
__device__ inline std::uint32_t largest(cuda::Bfloat16 /*format*/, std::uint32_t a, std::uint32_t b) {
  return cuda::Bfloat16::word(__hmax2_nan(cuda::Bfloat16::pair(a), cuda::Bfloat16::pair(b)));
}

// The largest of a window, row after row, and the first row that has it; a NaN stays. Columns are found in
// that row alone.
template <typename Format>
struct FloatWindow {
  using Bits = typename Format::Bits;
  int begin, width, best_row;
  float best = -INFINITY;

  __device__ FloatWindow(int first, int count, int row) : begin(first), width(count), best_row(row) {}
  __device__ bool is_nan() const { return isnan(best); }
  __device__ void meet(const Bits* plane, int row) {
    float most = -INFINITY;
#pragma unroll 4
    for (int k = begin; k < begin + width; ++k) most = largest(most, Format::to_float(plane[row + k]));
    best_row = most > best ? row : best_row;
    best = largest(best, most);
  }
  __device__ int find(const Bits* plane) const {
    int index = best_row + begin;
    for (int k = width - 1; k >= 0; --k)
      if (Format::to_float(plane[best_row + begin + k]) == best) index = best_row + begin + k;
    return index;
  }
};

// Halves are compared two at a time, and the largest is in both halves of a word: what limits this kernel is
// how many instructions it takes. H200, us, and with each row's largest compared as a float: am2-56to7
// FLOAT16 30 and 34, am2-50to7 27 and 34. Count: as many are read at once, a pack; or, where it is 1, words,
// the first and the last of which may have a neighbour of the window.
template <typename Format, int Count>
struct HalfWindow {
  using Bits = typename Format::Bits;
  static constexpr std::uint32_t kNothing = Format::kMinusInfinity * Format::kEach;
  int begin, width, best_row;
  std::uint32_t best = kNothing;

  __device__ HalfWindow(int first, int count, int row) : begin(first), width(count), best_row(row) {}
  __device__ bool is_nan() const { return Format::is_nan(best); }

  __device__ void meet(const Bits* plane, int row) {
    const Bits* cells = plane + row;
    std::uint32_t most = kNothing;
    if constexpr (Count > 1) {
      if (width == Count) {
        most = largest_of(cells + begin);
      } else {
        for (int k = 0; k < width; k += Count) most = largest(Format{}, most, largest_of(cells + begin + k));
      }
    } else {
      const auto* words = reinterpret_cast<const std::uint32_t*>(cells) + begin / 2;
      if (width == kUsual) {
        const unsigned pick = begin % 2 != 0 ? 0x5432U : 0x3210U;
#pragma unroll
        for (int i = 0; i < kUsual / 2; ++i)
          most = largest(Format{}, most, __byte_perm(words[i], words[i + 1], pick));
      } else {
        const int last = (begin + width - 1) / 2 - begin / 2;
        most = cuda::select(part_of(begin / 2), words[0], kNothing);
#pragma unroll 4
        for (int i = 1; i < last; ++i) most = largest(Format{}, most, words[i]);
        most = largest(Format{}, most, cuda::select(part_of(begin / 2 + last), words[last], kNothing));
      }
    }
    most = largest(Format{}, most, __byte_perm(most, most, 0x1032));
    best_row = __hgt(low_half(most), low_half(best)) ? row : best_row;
    best = largest(Format{}, best, most);
  }

  __device__ int find(const Bits* plane) const {
    const Bits* cells = plane + best_row;
    if constexpr (Count > 1) {
      for (int k = 0; k < width; k += Count) {
        // A bit for each cell that is equal: even ones in the lower half, odd ones in the upper.
        std::uint32_t found = 0;
        const auto words = words_of(cells + begin + k);
#pragma unroll
        for (int i = 0; i < Count / 2; ++i) found |= equal(words.at[i]) & (0x20001U << 2 * i);
        found = (found | found >> 16) & 0xFFFFU;
        if (found != 0) return best_row + begin + k + __ffs(static_cast<int>(found)) - 1;
      }
    } else {
      const auto* words = reinterpret_cast<const std::uint32_t*>(cells);
      for (int i = begin / 2; i <= (begin + width - 1) / 2; ++i) {
        const std::uint32_t found = equal(words[i]) & part_of(i);
        if (found != 0) return best_row + 2 * i + ((found & 1) != 0 ? 0 : 1);
      }
    }
    return best_row + begin;
  }

 private:
  static __device__ auto low_half(std::uint32_t word) { return lower(Format::pair(word)); }
  static __device__ __half lower(__half2 pair) { return __low2half(pair); }
  static __device__ __nv_bfloat16 lower(__nv_bfloat162 pair) { return __low2bfloat16(pair); }
  __device__ std::uint32_t equal(std::uint32_t word) const {
    return __heq2_mask(Format::pair(word), Format::pair(best));
  }
  // Which halves of a word of the row are in the window.
  __device__ std::uint32_t part_of(int word) const {
    const std::uint32_t low = 2 * word >= begin && 2 * word < begin + width ? 0xFFFFU : 0;
    const std::uint32_t high = 2 * word + 1 >= begin && 2 * word + 1 < begin + width ? 0xFFFF0000U : 0;
    return low | high;
  }
  struct Words {
    std::uint32_t at[Count > 1 ? Count / 2 : 1];
  };
  static __device__ std::uint32_t largest_of(const Bits* pack) {
    const Words words = words_of(pack);
    std::uint32_t most = words.at[0];
#pragma unroll
    for (int i = 1; i < Count / 2; ++i) most = largest(Format{}, most, words.at[i]);
    return most;
  }
  static __device__ Words words_of(const Bits* from) {
    const auto pack = cuda::load_pack<Bits, Count>(from);
    Words words;
    memcpy(&words, &pack, sizeof(words));
    return words;
  }
};
template <typename Format, int Count>
using Window = std::conditional_t<Format::kLanes == 1, FloatWindow<Format>, HalfWindow<Format, Count>>;

// Windows lie inside the plane, without gaps between taps.
struct Taps {
  int begin, count;
};
__device__ inline Taps taps_of(const cuda::WindowAxis<int>& axis, const cuda::Divider<std::uint32_t>& by_out,
                               int window) {
  if (axis.stride != 0) return {window * axis.stride, axis.kernel};
  const auto first = static_cast<std::uint32_t>(window * axis.in);
  const auto begin = static_cast<int>(by_out.divide(first));
  return {begin, static_cast<int>(by_out.divide(first + axis.in + axis.out - 1)) - begin};
}

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
    const Taps in_d = taps_of(pool.axes.d, plan.by_d, d);
    const Taps in_h = taps_of(pool.axes.h, plan.by_h, h);
    const Taps in_w = taps_of(pool.axes.w, plan.by_w, w);
    const Bits* plane = staged + slice * plan.tiles.cells;
    const int width = pool.axes.w.in;
    int row = (in_d.begin * pool.axes.h.in + in_h.begin) * width;
    Window<Format, Count> window(in_w.begin, in_w.count, row);
    for (int a = 0; a < in_d.count; ++a, row += (pool.axes.h.in - in_h.count) * width) {
#pragma unroll 4
      for (int b = 0; b < in_h.count; ++b, row += width) window.meet(plane, row);
    }
    const unsigned at = first + slice;
    const std::int64_t n = plan.by_c.divide(at);
    const std::int64_t c = plan.by_c.rest(at, static_cast<std::uint32_t>(n));
    if (window.is_nan()) {
      pool_window<Format>(pool, n, c, d, h, w);
      continue;
    }
    const int index = window.find(plane);
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
  CAIRN_SHARED_MEMORY(unsigned char, shared_bytes);
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
    planes.by_d = Divider(plan.out.d);
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
