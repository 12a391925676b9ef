#include "ops/upsample_nearest_backward/cuda.h"

#include <algorithm>
#include <type_traits>

#include "ops/kernel/cuda/chain.cuh"
#include "ops/kernel/cuda/divider.h"
#include "ops/kernel/cuda/element.cuh"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr int kThreads = 256;
constexpr int kSmall = 3;  // positions along an axis
constexpr int kCells = 4;

// The conversions saturate: a product past any integer is past the axis too.
__device__ int round_up(float value, int) { return __float2int_ru(value); }
__device__ std::int64_t round_up(float value, std::int64_t) { return __float2ll_ru(value); }

// Coord is int where every size and offset in a plane fits.
template <typename Coord>
struct Axis {
  Coord in;
  Coord out;
  float scale;

  // The first position of this cell or a later one.
  __device__ Coord low(Coord cell) const {
    const Coord start = round_up(static_cast<float>(cell) * scale, Coord{});
    return start < out ? start : out;
  }
  // True when cell i has exactly the positions i * factor … i * factor + factor - 1.
  bool is_regular(std::int64_t factor) const {
    constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
    return scale == static_cast<float>(factor) && in < kExactInFloat / factor && out >= in * factor;
  }
  // True when no cell has more positions than this. Where products are spaced closer than one, that is the scale
  // rounded up.
  bool has_few(int most) const {
    constexpr Coord kFine = 1 << 20;
    return in < kFine && out < kFine && scale <= static_cast<float>(most);
  }
  // low(), of an axis with few positions a cell: numbers below 2^23 are converted and rounded up by an addition.
  __device__ Coord low_of_few(Coord cell) const {
    constexpr float kTwo23 = 8388608.0F;
    const float number = __int_as_float(static_cast<int>(cell) | __float_as_int(kTwo23)) - kTwo23;
    const int start = __float_as_int(__fadd_ru(number * scale, kTwo23)) - __float_as_int(kTwo23);
    return min(static_cast<Coord>(start), out);
  }
};

template <typename Coord>
struct Strides {
  std::int64_t n, c;
  Coord d, h, w;
};

// Threads are numbered over N, D, H, then W and C in the order of memory.
template <typename Coord>
struct SumPlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;

  const void* grad_out;
  void* grad_input;
  Axis<Coord> d;
  Axis<Coord> h;
  Axis<Coord> w;
  Coord items;
  Divider by_inner;  // packs of the innermost axis
  Divider by_w;      // channels last only
  Divider by_h;
  Divider by_d;
  Divider by_c;  // channels first only
  Strides<Coord> from;
  Strides<Coord> to;
};

template <typename Coord>
struct Place {
  Coord n, c, d, h, w;  // the innermost counts packs
};

template <typename Coord>
__device__ Coord thread_number() {
  return static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
}

template <bool ChannelsLast, typename Coord>
__device__ Place<Coord> place_of(const SumPlan<Coord>& plan, Coord number) {
  using Unsigned = std::make_unsigned_t<Coord>;
  auto item = static_cast<Unsigned>(number);
  const auto step = [&item](const cuda::Divider<Unsigned>& by) {
    const Unsigned quotient = by.divide(item);
    const auto rest = static_cast<Coord>(by.rest(item, quotient));
    item = quotient;
    return rest;
  };
  Place<Coord> place;
  if constexpr (ChannelsLast) {
    place.c = step(plan.by_inner);
    place.w = step(plan.by_w);
  } else {
    place.w = step(plan.by_inner);
  }
  place.h = step(plan.by_h);
  place.d = step(plan.by_d);
  if constexpr (!ChannelsLast) place.c = step(plan.by_c);
  place.n = static_cast<Coord>(item);
  return place;
}

// W is regular with this factor and its rows lie in whole packs: a thread sums `Count` neighbouring cells.
template <typename T, int Factor, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_rows(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kCount = 16 / sizeof(T);
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = place_of<false>(plan, item);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n + place.c * plan.from.c +
                  place.w * kCount * Factor;
  cuda::Sum<T> sums[kCount] = {};
  const Coord last_d = plan.d.low(place.d + 1);
  const Coord last_h = plan.h.low(place.h + 1);
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    for (Coord h = plan.h.low(place.h); h < last_h; ++h) {
      const T* row = from + d * plan.from.d + h * plan.from.h;
      cuda::Pack<T, kCount> packs[Factor];
#pragma unroll
      for (int i = 0; i < Factor; ++i) packs[i] = cuda::load_pack<T, kCount>(row + i * kCount);
#pragma unroll
      for (int i = 0; i < kCount * Factor; ++i)
        sums[i / Factor] += cuda::widen(packs[i / kCount].at[i % kCount]);
    }
  }
  cuda::Pack<T, kCount> result;
#pragma unroll
  for (int i = 0; i < kCount; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * kCount,
                   result);
}

// Few positions along each axis, rows of neighbours: all of a cell are loaded before the first is added. A thread
// sums `kCells` cells that follow each other along H.
template <typename T, int Taps>
__global__ void __launch_bounds__(kThreads) sum_small_boxes(const __grid_constant__ SumPlan<int> plan) {
  cuda::let_next_kernel_come();
  const int item = thread_number<int>();
  if (item >= plan.items) return;
  const Place<int> place = place_of<false>(plan, item);
  const int first_d = plan.d.low_of_few(place.d);
  const int first_w = plan.w.low_of_few(place.w);
  const int depth = plan.d.low_of_few(place.d + 1) - first_d;
  const int width = plan.w.low_of_few(place.w + 1) - first_w;
  T* to = static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c + place.d * plan.to.d +
          place.w * plan.to.w;
  cuda::wait_for_kernel_before();
  const T* from = cuda::keep(static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                             place.c * plan.from.c + first_d * plan.from.d + first_w);
  const int last = min(plan.h.in, (place.h + 1) * kCells);
  int first_h = plan.h.low_of_few(place.h * kCells);
#pragma unroll 1
  for (int h = place.h * kCells; h < last; ++h) {
    const int next_h = plan.h.low_of_few(h + 1);
    T values[kSmall][kSmall][Taps];
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
        const T* row = from + (z * plan.from.d + (first_h + y) * plan.from.h);
#pragma unroll
        for (int x = 0; x < Taps; ++x)
          values[z][y][x] = cuda::load_if((first_h + y < next_h) & (x < width), row + x);
      }
    }
    // A position that is not there adds +0.0, which changes nothing: no sum that starts from +0.0 is ever -0.0.
    cuda::Sum<T> sum = 0;
#pragma unroll
    for (int z = 0; z < kSmall; ++z) {
      if (z >= depth) break;
#pragma unroll
      for (int y = 0; y < kSmall; ++y) {
#pragma unroll
        for (int x = 0; x < Taps; ++x) sum += cuda::widen(values[z][y][x]);
      }
    }
    to[h * plan.to.h] = cuda::narrow<T>(sum);
    first_h = next_h;
  }
}

// Any sizes and strides. A thread sums a cell of `Count` channels; Taps: no cell has more positions along W, or
// 0 when that is not known.
template <typename T, int Count, int Taps, bool ChannelsLast, typename Coord>
__global__ void __launch_bounds__(kThreads) sum_cells(const __grid_constant__ SumPlan<Coord> plan) {
  constexpr int kRows = 2;  // read at a time
  cuda::let_next_kernel_come();
  const auto item = thread_number<Coord>();
  if (item >= plan.items) return;
  const Place<Coord> place = place_of<ChannelsLast>(plan, item);
  const Coord first_w = plan.w.low(place.w);
  const Coord taps = plan.w.low(place.w + 1) - first_w;
  const Coord first_h = plan.h.low(place.h);
  const Coord last_h = plan.h.low(place.h + 1);
  const Coord last_d = plan.d.low(place.d + 1);
  cuda::wait_for_kernel_before();
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n +
                  place.c * Count * plan.from.c + first_w * plan.from.w;
  cuda::Sum<T> sums[Count] = {};
  for (Coord d = plan.d.low(place.d); d < last_d; ++d) {
    const T* row = from + d * plan.from.d + first_h * plan.from.h;
    if constexpr (Taps == 0) {
      for (Coord h = first_h; h < last_h; ++h, row += plan.from.h) {
        for (Coord w = 0; w < taps; ++w) {
          const auto pack = cuda::load_pack<T, Count>(row + w * plan.from.w);
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(pack.at[i]);
        }
      }
    } else {
      for (Coord h = first_h; h < last_h; h += kRows, row += kRows * plan.from.h) {
        cuda::Pack<T, Count> packs[kRows][Taps];
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          if (h + j / Taps < last_h && j % Taps < taps)
            packs[j / Taps][j % Taps] =
                cuda::load_pack<T, Count>(row + j / Taps * plan.from.h + j % Taps * plan.from.w);
        }
#pragma unroll
        for (int j = 0; j < kRows * Taps; ++j) {
          if (h + j / Taps >= last_h || j % Taps >= taps) continue;
#pragma unroll
          for (int i = 0; i < Count; ++i) sums[i] += cuda::widen(packs[j / Taps][j % Taps].at[i]);
        }
      }
    }
  }
  cuda::Pack<T, Count> result;
#pragma unroll
  for (int i = 0; i < Count; ++i) result.at[i] = cuda::narrow<T>(sums[i]);
  cuda::store_pack(static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * Count * plan.to.c +
                       place.d * plan.to.d + place.h * plan.to.h + place.w * plan.to.w,
                   result);
}

// The stride of an axis with one element never counts.
View5 counted_strides(View5 view, std::int64_t n, std::int64_t c, const Size3& size) {
  if (n == 1) view.n = 0;
  if (c == 1) view.c = 0;
  if (size.d == 1) view.d = 0;
  if (size.h == 1) view.h = 0;
  if (size.w == 1) view.w = 1;
  return view;
}

template <typename Coord>
Strides<Coord> strides_of(const View5& view) {
  return {view.n, view.c, static_cast<Coord>(view.d), static_cast<Coord>(view.h), static_cast<Coord>(view.w)};
}

template <typename Coord>
Axis<Coord> axis_of(std::int64_t in, std::int64_t out, float scale) {
  return {static_cast<Coord>(in), static_cast<Coord>(out), scale};
}

bool fits_int(const Plan& plan) {
  const auto fits = [](const View5& view, const Size3& size) {
    constexpr std::int64_t kMost = 1 << 29;  // rows are read two at a time, so a little beyond is computed
    return std::max({size.d, size.h, size.w}) < kMost && size.d * view.d < kMost && size.h * view.h < kMost &&
           size.w * view.w < kMost;
  };
  return plan.n * plan.c * plan.in.count() < INT32_MAX - kThreads && fits(plan.grad_out, plan.out) &&
         fits(plan.grad_input, plan.in);
}

template <typename Coord>
cudaError_t start(void (*kernel)(SumPlan<Coord>), const SumPlan<Coord>& plan, const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, (plan.items + kThreads - 1) / kThreads, kThreads, 0, launch.stream);
}

// Whether every address `base + multiples of strides` starts a whole pack.
template <typename T>
bool packs(const void* base, std::initializer_list<std::int64_t> strides) {
  constexpr int kCount = 16 / sizeof(T);
  return reinterpret_cast<std::uintptr_t>(base) % 16 == 0 &&
         std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s % kCount == 0; });
}

template <typename T, int Count, bool ChannelsLast, typename Coord>
cudaError_t start_cells(const SumPlan<Coord>& plan, const cuda::CudaLaunch& launch) {
  if constexpr (sizeof(Coord) == 4) {
    if constexpr (!ChannelsLast) {
      if (plan.from.w == 1 && plan.d.has_few(kSmall) && plan.h.has_few(kSmall) && plan.w.has_few(kSmall)) {
        SumPlan<Coord> cells = plan;
        const Coord along_h = (plan.h.in + kCells - 1) / kCells;
        cells.by_h = typename SumPlan<Coord>::Divider(along_h);
        cells.items = plan.items / plan.h.in * along_h;
        return plan.w.has_few(2) ? start(sum_small_boxes<T, 2>, cells, launch)
                                 : start(sum_small_boxes<T, kSmall>, cells, launch);
      }
    }
    if (plan.w.has_few(1)) return start(sum_cells<T, Count, 1, ChannelsLast, Coord>, plan, launch);
    if (plan.w.has_few(2)) return start(sum_cells<T, Count, 2, ChannelsLast, Coord>, plan, launch);
    if (plan.w.has_few(4)) return start(sum_cells<T, Count, 4, ChannelsLast, Coord>, plan, launch);
  }
  return start(sum_cells<T, Count, 0, ChannelsLast, Coord>, plan, launch);
}

template <typename T, typename Coord>
cudaError_t launch_sized(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = 16 / sizeof(T);
  SumPlan<Coord> result{};
  result.grad_out = plan.grad_out.data;
  result.grad_input = plan.grad_input.data;
  result.d = axis_of<Coord>(plan.in.d, plan.out.d, plan.scale_d);
  result.h = axis_of<Coord>(plan.in.h, plan.out.h, plan.scale_h);
  result.w = axis_of<Coord>(plan.in.w, plan.out.w, plan.scale_w);
  result.from = strides_of<Coord>(plan.grad_out);
  result.to = strides_of<Coord>(plan.grad_input);
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  using Divider = typename SumPlan<Coord>::Divider;
  result.by_w = Divider(plan.in.w);
  result.by_h = Divider(plan.in.h);
  result.by_d = Divider(plan.in.d);
  result.by_c = Divider(plan.c);
  const auto spread = [&](std::int64_t inner, std::int64_t outer) {
    result.by_inner = Divider(inner);
    result.items = static_cast<Coord>(plan.n * plan.in.d * plan.in.h * outer * inner);
  };

  const bool channels_last = plan.c > 1 && from.c == 1 && to.c == 1;
  if (channels_last && plan.c % kCount == 0 && packs<T>(plan.grad_out.data, {from.n, from.d, from.h, from.w}) &&
      packs<T>(plan.grad_input.data, {to.n, to.d, to.h, to.w})) {
    spread(plan.c / kCount, plan.in.w);
    return start_cells<T, kCount, true>(result, launch);
  }
  if (channels_last) {
    spread(plan.c, plan.in.w);
    return start_cells<T, 1, true>(result, launch);
  }
  const bool whole_rows = from.w == 1 && to.w == 1 && plan.in.w % kCount == 0 &&
                          packs<T>(plan.grad_out.data, {from.n, from.c, from.d, from.h}) &&
                          packs<T>(plan.grad_input.data, {to.n, to.c, to.d, to.h});
  if (whole_rows && (result.w.is_regular(1) || result.w.is_regular(2))) {
    spread(plan.in.w / kCount, plan.c);
    return result.w.is_regular(1) ? start(sum_rows<T, 1, Coord>, result, launch)
                                  : start(sum_rows<T, 2, Coord>, result, launch);
  }
  spread(plan.in.w, plan.c);
  return start_cells<T, 1, false>(result, launch);
}

template <typename T>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  return fits_int(plan) ? launch_sized<T, int>(plan, launch) : launch_sized<T, std::int64_t>(plan, launch);
}

}  // namespace

cudaError_t launch(const Plan& given, const cuda::CudaLaunch& launch) {
  if (given.n * given.c * given.in.count() == 0) return cudaSuccess;
  Plan plan = given;
  plan.grad_out = counted_strides(plan.grad_out, plan.n, plan.c, plan.out);
  plan.grad_input = counted_strides(plan.grad_input, plan.n, plan.c, plan.in);
  switch (plan.type) {
    case DataType::kFloat:
      return launch_typed<float>(plan, launch);
    case DataType::kFloat16:
      return launch_typed<__half>(plan, launch);
    case DataType::kBf16:
      return launch_typed<__nv_bfloat16>(plan, launch);
    case DataType::kDouble:
      return launch_typed<double>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace cairn::upsample_nearest_backward
