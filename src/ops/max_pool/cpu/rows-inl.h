// The maximum of windows in steps, each over whole rows: along W, then over the rows of a slice, then over
// slices. Every step keeps the rule that a later tap takes over if it is larger, or a NaN, so the whole does.
// Values are floats and positions 32-bit throughout.

#if defined(CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_ROWS_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::load_float;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

// A vector of windows: the largest tap so far and where it lies in the plane.
template <class D>
struct Leader {
  hn::Vec<D> value;
  hn::Vec<hn::RebindToSigned<D>> position;

  // Declared here, so that it is compiled for the target: gcc makes an implicit one for the baseline.
  Leader() = default;
  HWY_INLINE Leader(hn::Vec<D> tap, hn::Vec<hn::RebindToSigned<D>> place) : value(tap), position(place) {}

  template <bool kNans>
  HWY_INLINE void meet(hn::Vec<D> tap, hn::Vec<hn::RebindToSigned<D>> place) {
    const hn::RebindToSigned<D> di;
    auto takes_over = hn::Gt(tap, value);
    if constexpr (kNans) takes_over = hn::Or(takes_over, hn::IsNaN(tap));
    value = hn::IfThenElse(takes_over, tap, value);
    position = hn::IfThenElse(hn::RebindMask(di, takes_over), place, position);
  }
};

// Becomes a NaN when it meets one, or an infinity: those are rare enough to look again, with care.
template <class D>
HWY_INLINE void watch(hn::Vec<D>& watcher, hn::Vec<D> tap) {
  watcher = hn::MulAdd(tap, hn::Zero(D()), watcher);
}
template <class D>
HWY_INLINE bool is_alarmed(D d, hn::Vec<D> watcher) {
  return !hn::AllFalse(d, hn::IsNaN(watcher));
}

// Copies a row as floats, reading ahead; true if there may be a NaN among them.
template <typename T>
HWY_INLINE bool widen_run(const T* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count,
                          std::int64_t ahead) {
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
  auto watcher = hn::Zero(d);
  const auto copy = [&](std::int64_t i) HWY_ATTR {
    const auto v = load_float(d, from + i);
    hwy::Prefetch(from + i + ahead);
    watch<Floats>(watcher, v);
    hn::StoreU(v, d, to + i);
  };
  for (std::int64_t i = 0; i + lanes < count; i += lanes) copy(i);
  copy(count - lanes);
  return is_alarmed(d, watcher);
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
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
  std::int32_t start;         // where the first tap of the first window lies along W
  const std::int32_t* first;  // of each window, how far from its start the first tap in the plane lies
};

// A row of leaders in memory; whole vectors are written.
struct Best {
  float* values;
  std::int32_t* positions;
};

// Splits two vectors in a row into the lanes at even and those at odd places.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE hn::Vec<Floats> even_lanes(Floats /*d*/, hn::Vec<Floats> /*high*/, hn::Vec<Floats> low) {
  return low;
}
HWY_INLINE hn::Vec<Floats> odd_lanes(Floats /*d*/, hn::Vec<Floats> high, hn::Vec<Floats> /*low*/) {
  return high;
}
#else
HWY_INLINE hn::Vec<Floats> even_lanes(Floats d, hn::Vec<Floats> high, hn::Vec<Floats> low) {
  return hn::ConcatEven(d, high, low);
}
HWY_INLINE hn::Vec<Floats> odd_lanes(Floats d, hn::Vec<Floats> high, hn::Vec<Floats> low) {
  return hn::ConcatOdd(d, high, low);
}
#endif

// Every kStride-th element, or every stride-th if that is 0.
template <int kStride>
HWY_INLINE hn::Vec<Floats> load_every(Floats d, const float* from, [[maybe_unused]] std::int64_t stride) {
  if constexpr (kStride == 1) {
    return hn::LoadU(d, from);
  } else if constexpr (kStride == 2) {
    return even_lanes(d, hn::LoadU(d, from + hn::Lanes(d)), hn::LoadU(d, from));
  } else {
    const Ints di;
    const auto step = hn::Set(di, static_cast<std::int32_t>(stride));
    return hn::GatherIndex(d, from, hn::Mul(hn::Iota(di, 0), step));
  }
}

// kKernel taps, or columns.kernel if that is 0. `from` is where the first tap of the first window lies, `row`
// the position of the row's begin in the plane.
template <int kKernel, int kStride, bool kNans>
void reduce_windows(const Columns& columns, const float* HWY_RESTRICT from, std::int32_t row,
                    const Best& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t stride = kStride == 0 ? columns.stride : kStride;
  const std::int64_t kernel = kKernel == 0 ? columns.kernel : kKernel;
  const std::int64_t dilation = kKernel == 0 ? columns.dilation : 1;
  const auto step = hn::Set(di, static_cast<std::int32_t>(stride * lanes));
  auto start = hn::Add(hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(stride))),
                       hn::Set(di, row + columns.start));
  for (std::int64_t o = 0; o < columns.windows; o += lanes) {
    const float* taps = from + o * stride;
    // Positions count from each window's start here.
    const auto place = [&](std::int64_t k)
                           HWY_ATTR { return hn::Set(di, static_cast<std::int32_t>(k * dilation)); };
    Leader<Floats> leader{hn::Zero(d), hn::LoadU(di, columns.first + o)};
    if constexpr (kKernel > 0 && kStride == 2) {
      for (std::int64_t k = 0; k < kKernel; k += 2) {
        const auto low = hn::LoadU(d, taps + k);
        const auto high = hn::LoadU(d, taps + k + lanes);
        const auto even = even_lanes(d, high, low);
        if (k == 0) {
          leader.value = even;
        } else {
          leader.template meet<kNans>(even, place(k));
        }
        if (k + 1 < kKernel) leader.template meet<kNans>(odd_lanes(d, high, low), place(k + 1));
      }
    } else {
      leader.value = load_every<kStride>(d, taps, stride);
      for (std::int64_t k = 1; k < kernel; ++k) {
        leader.template meet<kNans>(load_every<kStride>(d, taps + k * dilation, stride), place(k));
      }
    }
    hn::StoreU(leader.value, d, best.values + o);
    hn::StoreU(hn::Add(leader.position, start), di, best.positions + o);
    start = hn::Add(start, step);
  }
}

template <bool kNans>
void reduce_row(const Columns& columns, const float* from, std::int32_t row, const Best& best) {
  const bool dense = !kNans && columns.dilation == 1;
  if (columns.stride == 2) {
    if (dense && columns.kernel == 2) return reduce_windows<2, 2, false>(columns, from, row, best);
    if (dense && columns.kernel == 3) return reduce_windows<3, 2, false>(columns, from, row, best);
    return reduce_windows<0, 2, kNans>(columns, from, row, best);
  }
  if (columns.stride == 1) {
    if (dense && columns.kernel == 3) return reduce_windows<3, 1, false>(columns, from, row, best);
    if (dense && columns.kernel == 5) return reduce_windows<5, 1, false>(columns, from, row, best);
    return reduce_windows<0, 1, kNans>(columns, from, row, best);
  }
  return reduce_windows<0, 0, kNans>(columns, from, row, best);
}

// The leaders over kRows rows, or row_count if that is 0, first to last.
template <std::int64_t kRows, bool kNans>
void merge_rows(const Best* rows, std::int64_t row_count, std::int64_t length, const Best& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t count = kRows == 0 ? row_count : kRows;
  for (std::int64_t i = 0; i < length; i += lanes) {
    Leader<Floats> leader{hn::LoadU(d, rows[0].values + i), hn::LoadU(di, rows[0].positions + i)};
    for (std::int64_t r = 1; r < count; ++r) {
      leader.template meet<kNans>(hn::LoadU(d, rows[r].values + i), hn::LoadU(di, rows[r].positions + i));
    }
    hn::StoreU(leader.value, d, best.values + i);
    hn::StoreU(leader.position, di, best.positions + i);
  }
}

HWY_INLINE void merge_rows(const Best* rows, std::int64_t row_count, bool nans, std::int64_t length,
                           const Best& best) {
  if (nans) return merge_rows<0, true>(rows, row_count, length, best);
  if (row_count == 2) return merge_rows<2, false>(rows, row_count, length, best);
  if (row_count == 3) return merge_rows<3, false>(rows, row_count, length, best);
  if (row_count == 5) return merge_rows<5, false>(rows, row_count, length, best);
  return merge_rows<0, false>(rows, row_count, length, best);
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
