// Indices as vectors, and whether each names a cell of its own window.

#if defined(CAIRN_OPS_MAX_POOL_BACKWARD_CPU_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_WINDOWS_INL_H_
#undef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_WINDOWS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_BACKWARD_CPU_WINDOWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/half.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/plan.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Int32s = hn::ScalableTag<std::int32_t>;

// The low 32 bits of neighbouring indices.
HWY_INLINE hn::Vec<Int32s> load_indices(const std::int32_t* from) { return hn::LoadU(Int32s(), from); }
HWY_INLINE hn::Vec<Int32s> load_indices(const std::int64_t* from) {
  const Int32s d;
  const auto* words = reinterpret_cast<const std::int32_t*>(from);
  return hn::ConcatEven(d, hn::LoadU(d, words + hn::Lanes(d)), hn::LoadU(d, words));
}
HWY_INLINE bool fit_in_32_bits(const std::int32_t* /*indices*/) { return true; }
HWY_INLINE bool fit_in_32_bits(const std::int64_t* indices) {
  const Int32s d;
  const auto* words = reinterpret_cast<const std::int32_t*>(indices);
  const auto upper = hn::ConcatOdd(d, hn::LoadU(d, words + hn::Lanes(d)), hn::LoadU(d, words));
  return hn::AllTrue(d, hn::Eq(upper, hn::Zero(d)));
}

// Whether none of these gradients is an infinity or a NaN: then no sum of them is a NaN. A vector's worth at
// least.
template <typename T>
HWY_INLINE bool all_finite(const T* gradients, std::int64_t count) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(float), std::int32_t, std::int16_t>;
  constexpr Bits kInfinity = std::is_same_v<T, float>     ? static_cast<Bits>(0x7F800000)
                             : std::is_same_v<T, Float16> ? 0x7C00
                                                          : 0x7F80;
  const hn::ScalableTag<Bits> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto load = [&](std::int64_t i) HWY_ATTR {
    const auto bits = hn::LoadU(d, reinterpret_cast<const Bits*>(gradients + i));
    return hn::And(bits, hn::Set(d, std::numeric_limits<Bits>::max()));
  };
  auto largest = hn::Zero(d);
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    // Prefetched, since nothing here would hide the wait.
    for (std::int64_t line = 0; line < 4; ++line) hwy::Prefetch(gradients + i + (16 + line) * lanes);
    const auto low = hn::Max(load(i), load(i + lanes));
    const auto high = hn::Max(load(i + 2 * lanes), load(i + 3 * lanes));
    largest = hn::Max(largest, hn::Max(low, high));
  }
  for (; i < count; i += lanes) largest = hn::Max(largest, load(std::min(i, count - lanes)));
  return hn::AllTrue(d, hn::Lt(largest, hn::Set(d, kInfinity)));
}

// The cells that the windows of one row reach along D and H, and the flat position of the first, in column 0.
struct RowReach {
  std::int64_t slices;
  std::int64_t rows;
  std::int64_t first;

  RowReach(const WindowAxes& axes, std::int64_t od, std::int64_t oh) {
    const Span d = axes.d.cells(od);
    const Span h = axes.h.cells(oh);
    slices = d.size();
    rows = h.size();
    first = (d.begin * axes.h.in + h.begin) * axes.w.in;
  }
};

// Lanes whose index lies in the window that starts at `first`, `width` cells wide.
HWY_INLINE hn::Mask<hn::RebindToUnsigned<Int32s>> in_window(const WindowAxes& axes, const RowReach& reach,
                                                            hn::Vec<Int32s> index, hn::Vec<Int32s> first,
                                                            hn::Vec<Int32s> width) {
  const hn::RebindToUnsigned<Int32s> d;
  // What is smaller than the step wraps round, so the minimum takes a step off exactly while there is one.
  auto rest = hn::BitCast(d, hn::Sub(index, first));
  const auto slice = hn::Set(d, static_cast<std::uint32_t>(axes.h.in * axes.w.in));
  for (std::int64_t i = 1; i < reach.slices; ++i) rest = hn::Min(rest, hn::Sub(rest, slice));
  const auto row = hn::Set(d, static_cast<std::uint32_t>(axes.w.in));
  for (std::int64_t i = 1; i < reach.rows; ++i) rest = hn::Min(rest, hn::Sub(rest, row));
  return hn::Lt(rest, hn::BitCast(d, width));
}

// One at a time. -1 names no cell, rightly.
template <typename Index>
bool in_window_or_none(const WindowAxes& axes, const RowReach& reach, Index index, Span columns) {
  if (index == -1) return true;
  if (index < reach.first) return false;
  const std::int64_t rest = std::int64_t{index} - reach.first;
  const std::int64_t slice = axes.h.in * axes.w.in;
  if (rest / slice >= reach.slices) return false;
  const std::int64_t column = rest % axes.w.in;
  return rest % slice / axes.w.in < reach.rows && columns.begin <= column && column < columns.end;
}

// Whether the indices of one window, in `channels` channels side by side, a vector's worth at least, all lie
// in it or are -1.
template <typename Index>
HWY_INLINE bool all_in_window(const WindowAxes& axes, const RowReach& reach, Span columns,
                              const Index* indices, std::int64_t channels) {
  const Int32s d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto first = hn::Set(d, static_cast<std::int32_t>(reach.first + columns.begin));
  const auto width = hn::Set(d, static_cast<std::int32_t>(columns.size()));
  bool clean = true;
  for (std::int64_t c = 0; c < channels; c += lanes) {
    const Index* some = indices + std::min(c, channels - lanes);
    if (hn::AllTrue(hn::RebindToUnsigned<Int32s>(),
                    in_window(axes, reach, load_indices(some), first, width)) &&
        fit_in_32_bits(some)) {
      continue;
    }
    for (std::int64_t i = 0; i < lanes; ++i) clean &= in_window_or_none(axes, reach, some[i], columns);
  }
  return clean;
}

// Tells of rows of windows, one after the other, whether every index lies in its own window or is -1.
class Members {
 public:
  explicit Members(const WindowAxes& axes) : axes_(axes) {}

  // Of these windows of a row, which has a vector's worth at least; some beside them are looked at too.
  template <typename Index>
  bool row(const Index* indices, std::int64_t od, std::int64_t oh, Span windows) const {
    const RowReach reach(axes_, od, oh);
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Int32s()));
    bool clean = true;
    std::int64_t ow = windows.begin;
    for (; ow + lanes <= windows.end; ow += lanes) clean &= vector(indices, ow, reach);
    if (ow < windows.end) clean &= vector(indices, std::max<std::int64_t>(windows.end - lanes, 0), reach);
    return clean;
  }
  template <typename Index>
  bool row(const Index* indices, std::int64_t od, std::int64_t oh) const {
    return row(indices, od, oh, {0, axes_.w.out});
  }

 private:
  template <typename Index>
  HWY_INLINE bool vector(const Index* indices, std::int64_t ow, const RowReach& reach) const {
    const Int32s d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto set = [&](std::int64_t value)
                         HWY_ATTR { return hn::Set(d, static_cast<std::int32_t>(value)); };
    const auto steps = hn::Mul(hn::Iota(d, 0), set(axes_.w.stride));
    auto first = hn::Add(steps, set(axes_.w.start(ow)));
    auto width = set(axes_.w.extent);
    if (axes_.w.start(ow) < 0 || axes_.w.start(ow + lanes - 1) + axes_.w.extent > axes_.w.in) {
      // Clipped to the plane.
      width = hn::Add(hn::Min(width, hn::Sub(set(axes_.w.in), first)), hn::Min(first, hn::Zero(d)));
      first = hn::Max(first, hn::Zero(d));
    }
    const auto inside =
        in_window(axes_, reach, load_indices(indices + ow), hn::Add(first, set(reach.first)), width);
    if (hn::AllTrue(hn::RebindToUnsigned<Int32s>(), inside) && fit_in_32_bits(indices + ow)) return true;
    bool clean = true;
    for (std::int64_t i = ow; i < ow + lanes; ++i) {
      clean &= in_window_or_none(axes_, reach, indices[i], axes_.w.cells(i));
    }
    return clean;
  }

  const WindowAxes& axes_;
};

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
