// The maximum of windows in two steps, each over whole rows: first along W, then over the rows of a window.
// Every step keeps the rule that a later tap takes over if it is larger, or a NaN, so the whole does.

#if defined(CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/kernel/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::HalfBits;
using cairn::HWY_NAMESPACE::load_float;
using cairn::HWY_NAMESPACE::store_float;

// A vector more may be read or written behind any row.
using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

template <class D>
HWY_INLINE hn::Mask<D> takes_over(D /*d*/, hn::Vec<D> tap, hn::Vec<D> best, bool nans) {
  const auto larger = hn::Gt(tap, best);
  return nans ? hn::Or(larger, hn::IsNaN(tap)) : larger;
}

// Copies a row as floats; true if there is a NaN among them.
template <typename T>
HWY_INLINE bool widen_run(const T* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count) {
  const Floats d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (count < lanes) {
    bool nan = false;
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = to_float(from[i]);
      nan = nan || std::isnan(to[i]);
    }
    return nan;
  }
  auto nan = hn::IsNaN(hn::Zero(d));
  const auto copy = [&](std::int64_t i) HWY_ATTR {
    const auto v = load_float(d, from + i);
    nan = hn::Or(nan, hn::IsNaN(v));
    hn::StoreU(v, d, to + i);
  };
  for (std::int64_t i = 0; i + lanes < count; i += lanes) copy(i);
  copy(count - lanes);
  return !hn::AllFalse(d, nan);
}
template <typename T>
HWY_INLINE bool widen_strided(const T* from, std::int64_t stride, float* to, std::int64_t count) {
  bool nan = false;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = to_float(from[i * stride]);
    nan = nan || std::isnan(to[i]);
  }
  return nan;
}

// The windows of a stretch of a row, and the taps each has along W.
struct Columns {
  std::int64_t windows;
  std::int64_t channels;  // side by side at every position
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int32_t start;         // where the first tap of the first window lies along W
  const std::int32_t* first;  // where the first tap in the plane lies, of each window
};

// The best of each window in one row: its value, and its position in the plane.
struct Best {
  float* values;
  std::int32_t* positions;
};

// Every kStride-th element, or every stride-th if that is 0.
template <int kStride, class D>
HWY_INLINE hn::Vec<D> load_every(D d, const float* from, [[maybe_unused]] std::int64_t stride) {
  if constexpr (kStride == 1 || hn::MaxLanes(D()) == 1) {
    return hn::LoadU(d, from);
  } else if constexpr (kStride == 2) {
    hn::Vec<D> even, odd;
    hn::LoadInterleaved2(d, from, even, odd);
    return even;
  } else {
    const hn::RebindToSigned<D> di;
    const auto step = hn::Set(di, static_cast<std::int32_t>(stride));
    return hn::GatherIndex(d, from, hn::Mul(hn::Iota(di, 0), step));
  }
}

// kKernel taps, or columns.kernel if that is 0. Lanes are windows: channels are 1. `from` is where the first
// tap of the first window lies, `row` the position of the row's begin in the plane.
template <int kKernel, int kStride, bool kNans>
void reduce_windows(const Columns& columns, const float* HWY_RESTRICT from, std::int32_t row,
                    const Best& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t stride = kStride == 0 ? columns.stride : kStride;
  const std::int64_t kernel = kKernel == 0 ? columns.kernel : kKernel;
  const std::int64_t dilation = kKernel == 0 ? columns.dilation : 1;
  const auto steps = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(stride)));
  for (std::int64_t o = 0; o < columns.windows; o += lanes) {
    const float* taps = from + o * stride;
    const auto start =
        hn::Add(steps, hn::Set(di, row + columns.start + static_cast<std::int32_t>(o * stride)));
    auto value = load_every<kStride>(d, taps, stride);
    auto position = hn::Add(hn::LoadU(di, columns.first + o), hn::Set(di, row));
    const auto look_at = [&](std::int64_t offset, hn::Vec<Floats> tap) HWY_ATTR {
      const auto takes = takes_over(d, tap, value, kNans);
      value = hn::IfThenElse(takes, tap, value);
      const auto here = hn::Add(start, hn::Set(di, static_cast<std::int32_t>(offset)));
      position = hn::IfThenElse(hn::RebindMask(di, takes), here, position);
    };
    for (std::int64_t k = 1; k < kernel; ++k) {
      look_at(k * dilation, load_every<kStride>(d, taps + k * dilation, stride));
    }
    hn::StoreU(value, d, best.values + o);
    hn::StoreU(position, di, best.positions + o);
  }
}

// Lanes are channels.
template <bool kNans, class D>
void reduce_channels(D d, const Columns& columns, const float* HWY_RESTRICT from, std::int32_t row,
                     const Best& best) {
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t channels = columns.channels;
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (channels < lanes) return reduce_channels<kNans>(hn::Half<D>(), columns, from, row, best);
  }
  for (std::int64_t o = 0; o < columns.windows; ++o) {
    const std::int64_t start = o * columns.stride;
    for (std::int64_t c = 0; c < channels; c += lanes) {
      // The last vector may look at channels of the one before again.
      const std::int64_t channel = std::min(c, channels - lanes);
      const float* taps = from + start * channels + channel;
      auto value = hn::LoadU(d, taps);
      auto position = hn::Set(di, row + columns.first[o]);
      for (std::int64_t k = 1; k < columns.kernel; ++k) {
        const auto tap = hn::LoadU(d, taps + k * columns.dilation * channels);
        const auto takes = takes_over(d, tap, value, kNans);
        value = hn::IfThenElse(takes, tap, value);
        const auto w = columns.start + static_cast<std::int32_t>(start + k * columns.dilation);
        position = hn::IfThenElse(hn::RebindMask(di, takes), hn::Set(di, row + w), position);
      }
      hn::StoreU(value, d, best.values + o * channels + channel);
      hn::StoreU(position, di, best.positions + o * channels + channel);
    }
  }
}

template <bool kNans>
void reduce_row(const Columns& columns, const float* from, std::int32_t row, const Best& best) {
  if (columns.channels > 1) return reduce_channels<kNans>(Floats(), columns, from, row, best);
  const bool dense = columns.dilation == 1;
  if (columns.stride == 2) {
    if (dense && columns.kernel == 2) return reduce_windows<2, 2, kNans>(columns, from, row, best);
    if (dense && columns.kernel == 3) return reduce_windows<3, 2, kNans>(columns, from, row, best);
    return reduce_windows<0, 2, kNans>(columns, from, row, best);
  }
  if (columns.stride == 1) {
    if (dense && columns.kernel == 3) return reduce_windows<3, 1, kNans>(columns, from, row, best);
    if (dense && columns.kernel == 5) return reduce_windows<5, 1, kNans>(columns, from, row, best);
    return reduce_windows<0, 1, kNans>(columns, from, row, best);
  }
  return reduce_windows<0, 0, kNans>(columns, from, row, best);
}

// Every value is one of T already, so nothing is rounded. What a NaN becomes does not matter here.
template <class D, typename T>
HWY_INLINE void store_exact(D d, hn::Vec<D> v, T* to) {
  store_float(d, v, to);
}
template <class D>
HWY_INLINE void store_exact(D /*d*/, hn::Vec<D> v, Bfloat16* to) {
  const HalfBits<D> half;
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, hn::ShiftRight<16>(hn::BitCast(du, v)));
  hn::StoreU(hn::DemoteTo(half, bits), half, reinterpret_cast<std::uint16_t*>(to));
}

HWY_INLINE void store_positions(Ints di, hn::Vec<Ints> v, std::int32_t* to) { hn::StoreU(v, di, to); }
HWY_INLINE void store_positions(Ints /*di*/, hn::Vec<Ints> v, std::int64_t* to) {
#if HWY_TARGET == HWY_SCALAR
  const hn::Rebind<std::int64_t, Ints> wide;
  hn::StoreU(hn::PromoteTo(wide, v), wide, to);
#else
  const hn::Repartition<std::int64_t, Ints> wide;
  hn::StoreU(hn::PromoteTo(wide, hn::LowerHalf(v)), wide, to);
  hn::StoreU(hn::PromoteTo(wide, hn::UpperHalf(hn::Half<Ints>(), v)), wide, to + hn::Lanes(wide));
#endif
}

// The best over rows that reduce_row made, first to last; `count` neighbours, whole vectors are written.
template <bool kNans, typename T, typename Index>
void merge_rows(const Best* rows, std::int64_t row_count, std::int64_t count, T* HWY_RESTRICT values,
                Index* HWY_RESTRICT indices) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) {
    auto value = hn::LoadU(d, rows[0].values + i);
    auto position = hn::LoadU(di, rows[0].positions + i);
    for (std::int64_t r = 1; r < row_count; ++r) {
      const auto tap = hn::LoadU(d, rows[r].values + i);
      const auto takes = takes_over(d, tap, value, kNans);
      value = hn::IfThenElse(takes, tap, value);
      position = hn::IfThenElse(hn::RebindMask(di, takes), hn::LoadU(di, rows[r].positions + i), position);
    }
    store_exact(d, value, values + i);
    store_positions(di, position, indices + i);
  }
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
