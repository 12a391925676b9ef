// Sums over boxes of gradOut, vectors of cells at a time. Every cell is one chain of additions, ascending in
// D, H, W.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#endif

#include <type_traits>

#include "hwy/highway.h"
#include "ops/kernel/convert-inl.h"
#include "ops/upsample_nearest_backward/cpu_axis.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::HalfBits;
using cairn::HWY_NAMESPACE::load_float;
using cairn::HWY_NAMESPACE::store_float;
using cairn::HWY_NAMESPACE::widen_float16;

template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class D>
HWY_INLINE hn::Vec<D> load_float(D d, const double* HWY_RESTRICT from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE void store_float(D d, hn::Vec<D> v, double* HWY_RESTRICT to) {
  hn::StoreU(v, d, to);
}

// Splits 2 * Lanes(d) neighbours into those at even and those at odd places.
template <class D, typename T>
HWY_INLINE void load_pairs(D d, const T* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  hn::LoadInterleaved2(d, from, even, odd);
}
template <class D>
HWY_INLINE void load_pairs(D d, const Float16* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  hn::Vec<HalfBits<D>> even_bits, odd_bits;
  hn::LoadInterleaved2(HalfBits<D>(), reinterpret_cast<const std::uint16_t*>(from), even_bits, odd_bits);
  even = widen_float16(d, even_bits);
  odd = widen_float16(d, odd_bits);
}
template <class D>
HWY_INLINE void load_pairs(D d, const Bfloat16* HWY_RESTRICT from, hn::Vec<D>& even, hn::Vec<D>& odd) {
  const hn::RebindToUnsigned<D> du;
  const hn::Repartition<std::uint8_t, D> bytes;
  const auto pairs = hn::BitCast(du, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
  odd = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000u)));
}

// The lines of gradOut that fall to one line of cells: d × h × w of them, `first` the first.
template <typename T>
struct Box {
  const T* first;
  Size3 count;
  std::int64_t stride_d;
  std::int64_t stride_h;
  std::int64_t stride_w;
};

template <typename T, typename Visit>
HWY_INLINE void for_each_line(const Box<T>& box, const Visit& visit) {
  const T* slice = box.first;
  for (std::int64_t d = 0; d < box.count.d; ++d, slice += box.stride_d) {
    const T* row = slice;
    for (std::int64_t h = 0; h < box.count.h; ++h, row += box.stride_h) {
      const T* line = row;
      for (std::int64_t w = 0; w < box.count.w; ++w, line += box.stride_w) visit(line);
    }
  }
}

// How a vector of cells takes what it is due from a line.
struct OneEach {
  static constexpr std::int64_t kWidth = 1;
  template <class D, typename T>
  static HWY_INLINE hn::Vec<D> add(D d, hn::Vec<D> sum, const T* line) {
    return hn::Add(sum, load_float(d, line));
  }
};
struct TwoEach {
  static constexpr std::int64_t kWidth = 2;
  template <class D, typename T>
  static HWY_INLINE hn::Vec<D> add(D d, hn::Vec<D> sum, const T* line) {
    if constexpr (hn::MaxLanes(D()) == 1) {
      return hn::Add(hn::Add(sum, load_float(d, line)), load_float(d, line + 1));
    } else {
      hn::Vec<D> even, odd;
      load_pairs(d, line, even, odd);
      return hn::Add(hn::Add(sum, even), odd);
    }
  }
};

template <class Take, class D, typename T>
HWY_INLINE void sum_vector(D d, const Box<T>& box, std::int64_t cell, T* to) {
  auto sum = hn::Zero(d);
  for_each_line(box, [&](const T* line) HWY_ATTR { sum = Take::add(d, sum, line + cell * Take::kWidth); });
  store_float(d, sum, to + cell);
}

template <class Take, class D, typename T>
HWY_INLINE void sum_four_vectors(D d, const Box<T>& box, std::int64_t cell, T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto sum0 = hn::Zero(d);
  auto sum1 = sum0;
  auto sum2 = sum0;
  auto sum3 = sum0;
  for_each_line(box, [&](const T* line) HWY_ATTR {
    const T* from = line + cell * Take::kWidth;
    sum0 = Take::add(d, sum0, from);
    sum1 = Take::add(d, sum1, from + lanes * Take::kWidth);
    sum2 = Take::add(d, sum2, from + 2 * lanes * Take::kWidth);
    sum3 = Take::add(d, sum3, from + 3 * lanes * Take::kWidth);
  });
  store_float(d, sum0, to + cell);
  store_float(d, sum1, to + cell + lanes);
  store_float(d, sum2, to + cell + 2 * lanes);
  store_float(d, sum3, to + cell + 3 * lanes);
}

// count ≥ Lanes(d); the last vector may sum cells of the one before again.
template <class Take, class D, typename T>
HWY_INLINE void sum_vectors(D d, const Box<T>& box, std::int64_t count, T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t cell = 0;
  for (; cell + 4 * lanes <= count; cell += 4 * lanes) sum_four_vectors<Take>(d, box, cell, to);
  for (; cell + lanes <= count; cell += lanes) sum_vector<Take>(d, box, cell, to);
  if (cell < count) sum_vector<Take>(d, box, count - lanes, to);
}

template <class Take, typename T>
void sum_line(const Box<T>& box, std::int64_t count, T* to) {
  const hn::ScalableTag<SumOf<T>> wide;
  const hn::CappedTag<SumOf<T>, 4> narrow;
  const hn::CappedTag<SumOf<T>, 1> single;
  if (count >= static_cast<std::int64_t>(hn::Lanes(wide))) {
    sum_vectors<Take>(wide, box, count, to);
  } else if (count >= static_cast<std::int64_t>(hn::Lanes(narrow))) {
    sum_vectors<Take>(narrow, box, count, to);
  } else {
    for (std::int64_t cell = 0; cell < count; ++cell) sum_vector<Take>(single, box, cell, to);
  }
}

#undef CAIRN_PERMUTES_LINES
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
#define CAIRN_PERMUTES_LINES 1

// Indices that pick lanes of D, from a table of 32-bit ones.
template <class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> load_indices(D /*d*/, const std::int32_t* from) {
  const hn::RebindToSigned<D> di;
  if constexpr (sizeof(hn::TFromD<D>) == sizeof(std::int32_t)) {
    return hn::LoadU(di, from);
  } else {
    return hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::int32_t, D>(), from));
  }
}

// A vector of cells whose positions all lie in kVectors vectors of each line, from `window` on. `low` tells
// where the cells begin, low + 1 where they end, both less `window`.
template <std::size_t kVectors, class D, typename T>
HWY_INLINE hn::Vec<D> sum_permuted(D d, const Box<T>& box, std::int64_t window,
                                   hn::Vec<hn::RebindToSigned<D>> low, hn::Vec<hn::RebindToSigned<D>> high,
                                   std::int32_t taps) {
  using Index = hn::TFromD<hn::RebindToSigned<D>>;
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<Index>(hn::Lanes(d));
  const auto lane_bits = hn::Set(di, lanes - 1);
  auto sum = hn::Zero(d);
  for_each_line(box, [&](const T* line) HWY_ATTR {
    hn::Vec<D> source[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) source[v] = load_float(d, line + window + v * lanes);
    auto place = low;
    for (std::int32_t tap = 0; tap < taps; ++tap) {
      const auto indices = hn::IndicesFromVec(d, hn::And(place, lane_bits));
      auto value = hn::TableLookupLanes(source[0], indices);
      for (std::size_t v = 1; v < kVectors; ++v) {
        const auto here = hn::RebindMask(d, hn::Gt(place, hn::Set(di, static_cast<Index>(v) * lanes - 1)));
        value = hn::IfThenElse(here, hn::TableLookupLanes(source[v], indices), value);
      }
      // A cell that has no more positions adds +0.0, which changes no sum that began with +0.0.
      sum = hn::Add(sum, hn::IfThenElseZero(hn::RebindMask(d, hn::Lt(place, high)), value));
      place = hn::Add(place, hn::Set(di, 1));
    }
  });
  return sum;
}

// Cells of any ratio along lines of `length`; box.first is position 0 of the first line. Needs count ≥
// Lanes(d) and length ≥ kVectors * Lanes(d).
template <std::size_t kVectors, class D, typename T>
HWY_INLINE void sum_permuted_cells(D d, const Box<T>& box, std::int64_t length, const LowTable& table,
                                   Range cells, T* to) {
  using Index = hn::TFromD<hn::RebindToSigned<D>>;
  const hn::RebindToSigned<D> di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t next = cells.begin; next < cells.end; next += lanes) {
    const std::int64_t cell = std::min(next, cells.end - lanes);
    const std::int32_t* lows = table.at(cell);
    // A window that would reach past the line is moved back.
    const std::int64_t window =
        std::min(table.base() + lows[0], length - static_cast<std::int64_t>(kVectors) * lanes);
    const auto shift = hn::Set(di, static_cast<Index>(table.base() - window));
    const auto low = hn::Add(load_indices(d, lows), shift);
    const auto high = hn::Add(load_indices(d, lows + 1), shift);
    store_float(d, sum_permuted<kVectors>(d, box, window, low, high, table.taps()),
                to + (cell - cells.begin));
  }
}

// False if the cells of the table reach too far for vectors of D, or the line is too short for them.
template <class D, typename T>
bool try_sum_permuted(D d, const Box<T>& box, std::int64_t length, const LowTable& table, Range cells,
                      T* to) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t vectors = std::max<std::int64_t>((table.span() + lanes - 1) / lanes, 1);
  if (cells.count() < lanes || length < vectors * lanes) return false;
  switch (vectors) {
    case 1:
      sum_permuted_cells<1>(d, box, length, table, cells, to);
      return true;
    case 2:
      sum_permuted_cells<2>(d, box, length, table, cells, to);
      return true;
    case 3:
      sum_permuted_cells<3>(d, box, length, table, cells, to);
      return true;
    case 4:
      sum_permuted_cells<4>(d, box, length, table, cells, to);
      return true;
    default:
      return false;
  }
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace cairn::upsample_nearest_backward
HWY_AFTER_NAMESPACE();

#endif
