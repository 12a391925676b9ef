#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/kit/mean_axis.h"

namespace cairn::cuda {

struct Cells {
  int begin, end;
  __device__ int size() const { return end - begin; }
};

// One axis of mean pooling in 32 bits; see MeanAxis.
struct NarrowMeanAxis {
  int in, out, kernel, stride, padding;
  Divider<std::uint32_t> by_out, by_in, by_stride;

  NarrowMeanAxis() = default;
  explicit NarrowMeanAxis(const MeanAxis& axis)
      : in(static_cast<int>(axis.in)),
        out(static_cast<int>(axis.out)),
        kernel(static_cast<int>(axis.kernel)),
        stride(static_cast<int>(axis.stride)),
        padding(static_cast<int>(axis.padding)),
        by_out(axis.out > 0 ? axis.out : 1),
        by_in(axis.in > 0 ? axis.in : 1),
        by_stride(axis.stride) {}

  static bool takes(const MeanAxis& axis) {
    return are_narrow({axis.in, axis.out, axis.kernel, axis.stride, axis.padding}) &&
           (!axis.is_adaptive() || (axis.in + 1) * (axis.out + 1) < INT32_MAX);
  }

  __device__ Cells cells(int window) const {
    if (kernel == 0) return shares(window, in, out, by_out);
    const int begin = window * stride - padding;
    return {max(begin, 0), min(begin + kernel, in)};
  }
  __device__ Cells windows(int cell) const {
    if (kernel == 0) return shares(cell, out, in, by_in);
    const int first = cell + padding - kernel + stride;  // rounded up
    return {first >= stride ? static_cast<int>(by_stride.divide(first)) : 0,
            min(out, static_cast<int>(by_stride.divide(cell + padding)) + 1)};
  }

 private:
  // (count · of) / parts, rounded down, and of the next one, rounded up.
  __device__ static Cells shares(int count, int of, int parts, const Divider<std::uint32_t>& by) {
    const auto at = static_cast<std::uint32_t>(count) * static_cast<std::uint32_t>(of);
    return {static_cast<int>(by.divide(at)), static_cast<int>(by.divide(at + of + parts - 1))};
  }
};

// What a window is divided by.
template <typename Sum>
struct NarrowDivisor {
  bool by_taps, is_one;
  Sum one;
  Sum given[8];

  NarrowDivisor() = default;
  explicit NarrowDivisor(const MeanDivisor& divisor)
      : by_taps(divisor.by_taps), is_one(divisor.is_one()), one(static_cast<Sum>(divisor.given[0])) {
    for (int i = 0; i < 8; ++i) given[i] = static_cast<Sum>(divisor.given[static_cast<std::size_t>(i)]);
  }

  __device__ Sum of(int taps, bool last_d, bool last_h, bool last_w) const {
    if (is_one) return one;
    if (by_taps) return static_cast<Sum>(taps);
    return given[(last_d ? 4 : 0) + (last_h ? 2 : 0) + (last_w ? 1 : 0)];
  }
};

// Mean pooling, or its gradient, of planes whose coordinates fit 32 bits.
template <typename Sum>
struct NarrowMeans {
  const void* read;
  void* written;
  NarrowMeanAxis d, h, w;
  NarrowDivisor<Sum> divisor;
  Strides<int> from, to;
  Divider<std::uint32_t> by_c, by_d, by_h, by_w;  // items: over N, C, D, H, W, or with C last
  unsigned items;

  // Of window (d, h, w), whose taps are these.
  __device__ Sum divisor_of(int at_d, int at_h, int at_w, int taps) const {
    return divisor.of(taps, at_d + 1 == d.out, at_h + 1 == h.out, at_w + 1 == w.out);
  }
  __device__ Sum divisor_of(int at_d, int at_h, int at_w) const {
    if (divisor.is_one) return divisor.one;
    return divisor_of(at_d, at_h, at_w, d.cells(at_d).size() * h.cells(at_h).size() * w.cells(at_w).size());
  }
};

// Items: so many along each axis, of so many slices (channels, or packs of them) of each N.
template <typename Sum, typename Plan>
NarrowMeans<Sum> narrow_means(const Plan& plan, const View5& read, const View5& written, std::int64_t slices,
                              const Size3& items) {
  return {.read = read.data,
          .written = written.data,
          .d = NarrowMeanAxis(plan.d),
          .h = NarrowMeanAxis(plan.h),
          .w = NarrowMeanAxis(plan.w),
          .divisor = NarrowDivisor<Sum>(plan.divisor),
          .from = strides_of<int>(read),
          .to = strides_of<int>(written),
          .by_c = Divider<std::uint32_t>(slices),
          .by_d = Divider<std::uint32_t>(items.d),
          .by_h = Divider<std::uint32_t>(items.h),
          .by_w = Divider<std::uint32_t>(items.w),
          .items = static_cast<unsigned>(plan.n * slices * items.count())};
}

// What speaks against it.
template <typename Plan>
const char* why_not_narrow(const Plan& plan, const View5& cells, const View5& windows) {
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  const Size3 out{plan.d.out, plan.h.out, plan.w.out};
  if (plan.n * plan.c * in.count() == 0 || out.count() == 0) return "there are no cells or no windows";
  const bool narrow = NarrowMeanAxis::takes(plan.d) && NarrowMeanAxis::takes(plan.h) &&
                      NarrowMeanAxis::takes(plan.w) && is_narrow(cells, in) && is_narrow(windows, out) &&
                      plan.n * plan.c < INT32_MAX / (in.count() + out.count());
  return narrow ? nullptr : "places need 64 bits";
}

// Windows, or all cells, lie along W alone.
template <typename Plan>
bool is_along_w(const Plan& plan) {
  const auto is_one = [](const MeanAxis& axis) { return axis.in == 1 && axis.out == 1; };
  return is_one(plan.d) && is_one(plan.h);
}

// What speaks against kernels whose threads have a pack of channels.
template <typename Plan>
const char* why_not_channel_packs(const Plan& plan, const View5& cells, const View5& windows) {
  constexpr int kPackBytes = 16;
  const int size = static_cast<int>(size_of(plan.type));
  const bool packs = channels_in_packs(cells, size, kPackBytes / size, plan.c, plan.w.in) &&
                     channels_in_packs(windows, size, kPackBytes / size, plan.c, plan.w.out);
  return packs ? nullptr : "channels do not lie in packs of 16 bytes";
}

}  // namespace cairn::cuda
