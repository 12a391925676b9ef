// The first step of windows that are reduced row by row: a row of self as floats, then its windows along W.

#if defined(CAIRN_OPS_MAX_POOL_CPU_ROW_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_ROW_STEPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_ROW_STEPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_ROW_STEPS_INL_H_
#endif

#include <cmath>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"
#include "ops/max_pool/cpu/block_output-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Copies a row as floats and prefetches; true if there may be a NaN among them.
template <typename T>
HWY_INLINE bool widen_run(const T* HWY_RESTRICT from, float* HWY_RESTRICT to, std::int64_t count,
                          std::int64_t prefetch_distance) {
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
    hwy::Prefetch(from + i + prefetch_distance);
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

// `from` is where the first tap of the first window lies, `row` the position of the row's begin in the plane.
template <int kStride, bool kNans>
void reduce_windows(const Columns& columns, const float* HWY_RESTRICT from, std::int32_t row,
                    const LeaderRow& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t stride = kStride == 0 ? columns.stride : kStride;
  const auto step = hn::Set(di, static_cast<std::int32_t>(stride * lanes));
  auto start = hn::Add(hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(stride))),
                       hn::Set(di, row + columns.start));
  for (std::int64_t o = 0; o < columns.windows; o += lanes) {
    const float* taps = from + o * stride;
    // Positions count from each window's start here.
    Leader<Floats> leader{load_every<kStride>(d, taps, stride), hn::LoadU(di, columns.first + o)};
    for (std::int64_t k = 1; k < columns.kernel; ++k) {
      const std::int64_t place = k * columns.dilation;
      leader.template meet<kNans>(load_every<kStride>(d, taps + place, stride),
                                  hn::Set(di, static_cast<std::int32_t>(place)));
    }
    hn::StoreU(leader.value, d, best.values + o);
    hn::StoreU(hn::Add(leader.position, start), di, best.positions + o);
    start = hn::Add(start, step);
  }
}

template <bool kNans>
void reduce_row(const Columns& columns, const float* from, std::int32_t row, const LeaderRow& best) {
  if (columns.stride == 1) return reduce_windows<1, kNans>(columns, from, row, best);
  if (columns.stride == 2) return reduce_windows<2, kNans>(columns, from, row, best);
  return reduce_windows<0, kNans>(columns, from, row, best);
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
