// Elements whose indices name cells of their own boxes, a vector of them at a time.

#if defined(CAIRN_OPS_MAX_UNPOOL_CPU_DOUBLED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_UNPOOL_CPU_DOUBLED_INL_H_
#undef CAIRN_OPS_MAX_UNPOOL_CPU_DOUBLED_INL_H_
#else
#define CAIRN_OPS_MAX_UNPOOL_CPU_DOUBLED_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/doubled_box-inl.h"
#include "ops/kit/cpu/doubled_box.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_unpool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace boxes = cairn::HWY_NAMESPACE;

// Some neighbours of a row, or channels of a cell.
template <typename Element, typename Index>
struct Some {
  const Element* self;
  const Index* indices;
  std::int64_t count;
  std::int64_t cell;  // the first of the (first) element's box

  Some part(std::int64_t i, std::int64_t length, std::int64_t cells_on) const {
    return {self + i, indices + i, length, cell + cells_on};
  }
};

template <typename Element>
using RowsOfBox = std::array<Element*, DoubledBox::kMostRows>;

template <bool kStreams, class D>
HWY_INLINE void put_vector(D d, hn::Vec<D> values, hn::TFromD<D>* to) {
  if constexpr (kStreams) {
    hn::Stream(values, d, to);
  } else {
    hn::StoreU(values, d, to);
  }
}

// left[i] and right[i] are self[i] where its index names `cell`, or the one behind it, else 0. Returns how
// often one did.
template <typename Element, typename Index>
HWY_INLINE std::int64_t select(const Some<Element, Index>& some, std::int64_t cell,
                               Element* HWY_RESTRICT left, Element* HWY_RESTRICT right) {
  using Place = std::make_unsigned_t<Index>;
  const Element* HWY_RESTRICT self = some.self;
  const Index* HWY_RESTRICT indices = some.indices;
  Place met = 0;
  for (std::int64_t i = 0; i < some.count; ++i) {
    const Place distance = static_cast<Place>(indices[i]) - static_cast<Place>(cell);
    left[i] = distance == 0 ? self[i] : Element{0};
    right[i] = distance == 1 ? self[i] : Element{0};
    met += distance < 2 ? 1 : 0;
  }
  return static_cast<std::int64_t>(met);
}

// Channels of one box, to its left and right cells. False if an index names another cell.
template <typename Element, typename Index>
HWY_INLINE bool put_any_channels(const DoubledBox& box, const Some<Element, Index>& some,
                                 const RowsOfBox<Element>& left, const RowsOfBox<Element>& right,
                                 std::int64_t first) {
  std::int64_t met = 0;
  for (std::size_t r = 0; r < box.rows(); ++r)
    met += select(some, some.cell + box.offset(r), left[r] + first, right[r] + first);
  return met == some.count ||
         met + std::count(some.indices, some.indices + some.count, Index{-1}) == some.count;
}

// The same for neighbours of a row: two of each row of cells fall to each.
template <typename Element, typename Index>
HWY_NOINLINE bool put_any_pairs(const DoubledBox& box, const Some<Element, Index>& some,
                                const RowsOfBox<Element>& to, std::int64_t first) {
  bool fits = true;
  for (std::int64_t i = 0; i < some.count; ++i) {
    const auto distance = static_cast<std::uint64_t>(std::int64_t{some.indices[i]}) -
                          static_cast<std::uint64_t>(some.cell + 2 * i);
    bool is_met = some.indices[i] == -1;
    for (std::size_t r = 0; r < box.rows(); ++r) {
      const std::uint64_t place = distance - static_cast<std::uint64_t>(box.offset(r));
      Element* pair = to[r] + 2 * (first + i);
      pair[0] = place == 0 ? some.self[i] : Element{0};
      pair[1] = place == 1 ? some.self[i] : Element{0};
      is_met = is_met || place < 2;
    }
    fits = fits && is_met;
  }
  return fits;
}

// Elements that are prefetched so long before they are read.
inline constexpr std::int64_t kAhead = 512;

#if HWY_TARGET != HWY_SCALAR

// How far the indices of a vector of elements lie behind a cell; of 16 bits the lowest. False if one is not
// in the box.
template <std::size_t kRows, class D, typename Index>
HWY_INLINE bool load_distances(D d, const DoubledBox& box, const Index* indices, std::int64_t cell,
                               hn::Vec<D>& distances) {
  using Lane = hn::TFromD<D>;
  if constexpr (sizeof(Lane) == 2) {
    const hn::Repartition<std::uint32_t, D> wide;
    hn::Vec<decltype(wide)> low, high;
    const bool fits = load_distances<kRows>(wide, box, indices, cell, low) &&
                      load_distances<kRows>(wide, box, indices + hn::Lanes(wide), cell, high);
    if (fits) distances = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
    return fits;
  } else {
    if (!boxes::load_places(d, indices, distances)) return false;
    distances = hn::Sub(distances, hn::Set(d, static_cast<Lane>(cell)));
    return boxes::are_in_box<kRows>(d, distances, box);
  }
}

template <std::size_t kRows, bool kStreams, typename Element, typename Index>
HWY_INLINE bool put_channels(const DoubledBox& box, const Some<Element, Index>& some,
                             const RowsOfBox<Element>& left, const RowsOfBox<Element>& right) {
  const hn::ScalableTag<Element> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= some.count; i += lanes) {
    boxes::prefetch_ahead(some.indices + i, lanes, kAhead);
    boxes::prefetch_ahead(some.self + i, lanes, kAhead);
    auto distances = hn::Zero(d);
    if (!load_distances<kRows>(d, box, some.indices + i, some.cell, distances)) [[unlikely]] {
      if (!put_any_channels(box, some.part(i, lanes, 0), left, right, i)) return false;
      continue;
    }
    const auto values = hn::LoadU(d, some.self + i);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto here = hn::Set(d, static_cast<Element>(box.offset(r)));
      const auto next = hn::Set(d, static_cast<Element>(box.offset(r) + 1));
      put_vector<kStreams>(d, hn::IfThenElseZero(hn::Eq(distances, here), values), left[r] + i);
      put_vector<kStreams>(d, hn::IfThenElseZero(hn::Eq(distances, next), values), right[r] + i);
    }
  }
  return put_any_channels(box, some.part(i, some.count - i, 0), left, right, i);
}

// A pair of cells is one lane of twice the size. At least a vector of elements; the last vector ends with
// them, and may write what the one before wrote.
template <std::size_t kRows, bool kStreams, typename Pair, typename Element, typename Index>
HWY_INLINE bool put_pairs(const DoubledBox& box, const Some<Element, Index>& some,
                          const RowsOfBox<Element>& to) {
  const hn::ScalableTag<Pair> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto steps = hn::Add(hn::Iota(d, 0), hn::Iota(d, 0));
  for (std::int64_t begin = 0; begin < some.count; begin += lanes) {
    const std::int64_t i = std::min(begin, some.count - lanes);
    boxes::prefetch_ahead(some.indices + i, lanes, kAhead);
    boxes::prefetch_ahead(some.self + i, lanes, kAhead);
    auto distances = hn::Zero(d);
    bool fits = boxes::load_places(d, some.indices + i, distances);
    distances = hn::Sub(distances, hn::Add(steps, hn::Set(d, static_cast<Pair>(some.cell + 2 * i))));
    fits = fits && boxes::are_in_box<kRows>(d, distances, box);
    if (!fits) [[unlikely]] {
      if (!put_any_pairs(box, some.part(i, lanes, 2 * i), to, i)) return false;
      continue;
    }
    const auto left = hn::PromoteTo(d, hn::LoadU(hn::Rebind<Element, decltype(d)>(), some.self + i));
    const auto right = hn::ShiftLeft<8 * sizeof(Element)>(left);
    for (std::size_t r = 0; r < kRows; ++r) {
      const auto here = hn::Set(d, static_cast<Pair>(box.offset(r)));
      const auto next = hn::Set(d, static_cast<Pair>(box.offset(r) + 1));
      const auto pairs = hn::Or(hn::IfThenElseZero(hn::Eq(distances, here), left),
                                hn::IfThenElseZero(hn::Eq(distances, next), right));
      put_vector<kStreams>(d, pairs, reinterpret_cast<Pair*>(to[r] + 2 * i));
    }
  }
  return true;
}

#endif

}  // namespace cairn::max_unpool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
