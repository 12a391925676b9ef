// Several lines at once, a lane for each: a source is then one vector whatever its place, so targets may
// reach far without gathers, and each tap is one product.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_COLUMNS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_COLUMNS_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_COLUMNS_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_COLUMNS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/kit/taps/table.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes that shuffles do not leave.
template <class D>
constexpr std::size_t kBlock = 16 / sizeof(hn::TFromD<D>);

#if HWY_TARGET != HWY_SCALAR
// Neighbours from `column` on, a block of each of the lines `line`, `line` + kBlock, …
template <class D, typename In>
HWY_INLINE hn::Vec<D> load_blocks(D d, const In* const* lines, std::size_t line, std::int64_t column) {
  if constexpr (hn::MaxLanes(D()) <= kBlock<D>) {
    return load_float(d, lines[line] + column);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, lines, line + hn::MaxLanes(half), column),
                       load_blocks(half, lines, line, column));
  }
}

template <class D, typename T>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, T* const* lines, std::size_t line, std::int64_t column) {
  if constexpr (hn::MaxLanes(D()) <= kBlock<D>) {
    hn::StoreU(v, d, lines[line] + column);
  } else {
    const hn::Half<D> half;
    store_blocks(half, hn::LowerHalf(half, v), lines, line, column);
    store_blocks(half, hn::UpperHalf(half, v), lines, line + hn::MaxLanes(half), column);
  }
}

// Within blocks, lane i of vector k and lane k of vector i change places.
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&v)[2]) {
  const auto first = hn::InterleaveLower(d, v[0], v[1]);
  v[1] = hn::InterleaveUpper(d, v[0], v[1]);
  v[0] = first;
}
template <class D>
HWY_INLINE void transpose_blocks(D d, hn::Vec<D> (&v)[4]) {
  const hn::Repartition<std::uint64_t, D> pairs;
  const auto low0 = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
  const auto low1 = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
  const auto high0 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
  const auto high1 = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
  v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low0, low1));
  v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low0, low1));
  v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high0, high1));
  v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high0, high1));
}

#endif

// As many lines as there are lanes, as columns: to[i * lanes + k] is element i of line k.
template <class D, typename In, typename T = hn::TFromD<D>>
HWY_INLINE void to_columns(D d, const In* const* lines, std::int64_t count, T* HWY_RESTRICT to) {
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) >= kBlock<D>) {
    constexpr auto kSome = static_cast<std::int64_t>(kBlock<D>);
    for (; i + kSome <= count; i += kSome) {
      hn::Vec<D> v[kBlock<D>];
      for (std::size_t k = 0; k < kBlock<D>; ++k) v[k] = load_blocks(d, lines, k, i);
      transpose_blocks(d, v);
      for (std::size_t k = 0; k < kBlock<D>; ++k)
        hn::Store(v[k], d, to + (static_cast<std::size_t>(i) + k) * lanes);
    }
  }
#endif
  const hn::CappedTag<T, 1> one;
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < lanes; ++k)
      hn::StoreU(load_float(one, lines[k] + i), one, to + static_cast<std::size_t>(i) * lanes + k);
  }
}

// And back.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void from_columns(D d, const T* HWY_RESTRICT from, std::int64_t count, T* const* lines) {
  const std::size_t lanes = hn::Lanes(d);
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (hn::MaxLanes(D()) >= kBlock<D>) {
    constexpr auto kSome = static_cast<std::int64_t>(kBlock<D>);
    for (; i + kSome <= count; i += kSome) {
      hn::Vec<D> v[kBlock<D>];
      for (std::size_t k = 0; k < kBlock<D>; ++k)
        v[k] = hn::Load(d, from + (static_cast<std::size_t>(i) + k) * lanes);
      transpose_blocks(d, v);
      for (std::size_t k = 0; k < kBlock<D>; ++k) store_blocks(d, v[k], lines, k, i);
    }
  }
#endif
  for (; i < count; ++i) {
    for (std::size_t k = 0; k < lanes; ++k) lines[k][i] = from[static_cast<std::size_t>(i) * lanes + k];
  }
}

// Targets of `channels` columns each, made of such sources; column 0 is the first channel of source `origin`.
template <class D, typename T = hn::TFromD<D>>
HWY_INLINE void weigh_columns(D d, const TapTable<T>& table, T start, std::int64_t channels,
                              std::int64_t origin, const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t target = table.targets().begin; target < table.targets().end; ++target) {
    const auto taps = table.of(target);
    for (std::int64_t channel = 0; channel < channels; ++channel, to += lanes) {
      const T* column = from + (channel - origin * channels) * lanes;
      auto sum = hn::Set(d, start);
      for (std::int64_t i = 0; i < taps.count; ++i) {
        const auto value = hn::Load(d, column + taps.sources[i] * channels * lanes);
        sum = hn::Add(sum, hn::Mul(hn::Set(d, taps.weights[i]), value));
      }
      hn::Store(sum, d, to);
    }
  }
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
