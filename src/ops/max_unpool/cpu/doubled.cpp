#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_unpool/cpu/doubled.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_unpool/cpu/doubled-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_unpool::HWY_NAMESPACE {
namespace {

using Writers = std::array<StreamWriter, DoubledBox::kMostRows>;  // of a row of out each

// Rows of self one after the other. Layout says how one is put:
//   Layout(plan)
//   planes, width               rows of D and H that belong together, elements of one
//   put(box, row, to, writers)  false if some index names no cell of its own box
template <typename Element, typename Index, class Layout>
class Method {
 public:
  explicit Method(const Plan& plan)
      : plan_(plan), box_(plan.pooled, plan.unpooled), layout_(plan), streaming_(writes_past_cache(plan)) {}

  bool run(Workers& workers) const {
    std::atomic<bool> is_lost{false};
    const std::int64_t rows = plan_.n * layout_.planes * plan_.pooled.d * plan_.pooled.h;
    const auto written = static_cast<std::int64_t>(2 * box_.rows());
    for_each_range(workers, {.count = rows, .elements = written * layout_.width},
                   [&](std::int64_t begin, std::int64_t end) {
                     Writers writers{StreamWriter(streaming_), StreamWriter(streaming_),
                                     StreamWriter(streaming_), StreamWriter(streaming_)};
                     for (std::int64_t row = begin; row < end; ++row) {
                       if (is_lost.load(std::memory_order_relaxed)) return;
                       if (!put_row(row, writers)) is_lost.store(true, std::memory_order_relaxed);
                     }
                   });
    return !is_lost;
  }

 private:
  bool put_row(std::int64_t row, Writers& writers) const {
    const std::int64_t rows = plan_.pooled.d * plan_.pooled.h;
    const std::int64_t n = row / rows / layout_.planes;
    const std::int64_t c = row / rows % layout_.planes;
    const std::int64_t first = row % rows * layout_.width;
    const std::int64_t cell = box_.first_cell(row % rows);
    const auto at = [&](const View5& view) { return n * view.n + c * view.c; };
    auto* out = static_cast<Element*>(plan_.out.data) + at(plan_.out);
    RowsOfBox<Element> to;
    for (std::size_t r = 0; r < to.size(); ++r)
      to[r] = out + (cell + box_.offset(r)) * (plan_.c / layout_.planes);
    return layout_.put(
        box_,
        {static_cast<const Element*>(plan_.self.data) + at(plan_.self) + first,
         static_cast<const Index*>(plan_.indices.data) + at(plan_.indices) + first, layout_.width, cell},
        to, writers);
  }

  const Plan& plan_;
  const DoubledBox box_;
  const Layout layout_;
  const bool streaming_;
};

// Whether each of these stretches of the box's rows is whole cache lines that go past the cache.
template <typename Element>
bool take_lines(const DoubledBox& box, const Writers& writers, const RowsOfBox<Element>& to,
                std::int64_t count) {
  for (std::size_t r = 0; r < box.rows(); ++r) {
    if (!writers[r].takes_lines(to[r], count)) return false;
  }
  return true;
}

// Images of channels side by side.
template <typename Element, typename Index>
class Images {
 public:
  explicit Images(const Plan& plan)
      : width(plan.pooled.w * plan.c),
        channels_(plan.c),
        has_vectors_(HWY_TARGET != HWY_SCALAR && sizeof(Element) > 1 &&
                     (sizeof(Element) > 2 || DoubledBox(plan.pooled, plan.unpooled).fits_short())) {}

  HWY_ATTR bool put(const DoubledBox& box, const Some<Element, Index>& row, RowsOfBox<Element> to,
                    Writers& writers) const {
    const bool straight = has_vectors_ && take_lines(box, writers, to, channels_);
    const std::int64_t most = straight ? channels_ : std::min(channels_, kMost);
    for (std::int64_t i = 0; i < row.count; i += channels_) {
      for (std::int64_t c = 0; c < channels_; c += most) {
        const auto some = row.part(i + c, std::min(most, channels_ - c), 2 * (i / channels_));
        const bool fits = straight ? put_straight(box, some, to) : put_some(box, some, to, c, writers);
        if (!fits) return false;
      }
      for (Element*& cell : to) cell += 2 * channels_;
    }
    return true;
  }

  static constexpr std::int64_t planes = 1;
  const std::int64_t width;

 private:
  static constexpr auto kMost = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element) / 2);

  HWY_ATTR bool put_straight(const DoubledBox& box, const Some<Element, Index>& some,
                             const RowsOfBox<Element>& to) const {
    return put_vectors<true>(box, some, to, moved(to, channels_));
  }

  // Some channels from `c` on, where the writers have room.
  HWY_ATTR bool put_some(const DoubledBox& box, const Some<Element, Index>& some,
                         const RowsOfBox<Element>& to, std::int64_t c, Writers& writers) const {
    alignas(64) Element rights[DoubledBox::kMostRows][kMost];
    const bool all = some.count == channels_;
    RowsOfBox<Element> left{}, right{};
    for (std::size_t r = 0; r < box.rows(); ++r) {
      left[r] = writers[r].room(to[r] + c, all ? 2 * channels_ : some.count);
      right[r] = all ? left[r] + channels_ : rights[r];
    }
    if (!put_vectors<false>(box, some, left, right)) return false;
    for (std::size_t r = 0; r < box.rows() && !all; ++r)
      writers[r].write(to[r] + channels_ + c, rights[r], some.count);
    return true;
  }

  template <bool kStreams>
  HWY_ATTR bool put_vectors(const DoubledBox& box, const Some<Element, Index>& some,
                            const RowsOfBox<Element>& left, const RowsOfBox<Element>& right) const {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (sizeof(Element) > 1) {
      if (has_vectors_)
        return box.rows() == 2 ? put_channels<2, kStreams>(box, some, left, right)
                               : put_channels<4, kStreams>(box, some, left, right);
    }
#endif
    boxes::prefetch_ahead(some.indices, some.count, kAhead);
    boxes::prefetch_ahead(some.self, some.count, kAhead);
    return put_any_channels(box, some, left, right, 0);
  }

  static RowsOfBox<Element> moved(RowsOfBox<Element> to, std::int64_t by) {
    for (Element*& place : to) place += by;
    return to;
  }

  const std::int64_t channels_;
  const bool has_vectors_;
};

// Planes of elements side by side, in rows of a vector at least.
template <typename Element, typename Index>
class Planes {
 public:
  explicit Planes(const Plan& plan) : planes(plan.c), width(plan.pooled.w) {}

  HWY_ATTR bool put(const DoubledBox& box, const Some<Element, Index>& row, const RowsOfBox<Element>& to,
                    Writers& writers) const {
    if (take_lines(box, writers, to, 2 * row.count)) return put_vectors<true>(box, row, to);
    constexpr auto kMost = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element) / 2);
    for (std::int64_t i = 0, count; i < row.count; i += count) {
      const std::int64_t rest = row.count - i;
      count = rest <= kMost ? rest : std::min(kMost, rest / 2);
      RowsOfBox<Element> room{};
      for (std::size_t r = 0; r < box.rows(); ++r) room[r] = writers[r].room(to[r] + 2 * i, 2 * count);
      if (!put_vectors<false>(box, row.part(i, count, 2 * i), room)) return false;
    }
    return true;
  }

  const std::int64_t planes;
  const std::int64_t width;

 private:
  using Pair = std::conditional_t<sizeof(Element) == 2, std::uint32_t, std::uint64_t>;

  template <bool kStreams>
  HWY_ATTR bool put_vectors(const DoubledBox& box, const Some<Element, Index>& some,
                            const RowsOfBox<Element>& to) const {
#if HWY_TARGET == HWY_SCALAR
    return put_any_pairs(box, some, to, 0);
#else
    return box.rows() == 2 ? put_pairs<2, kStreams, Pair>(box, some, to)
                           : put_pairs<4, kStreams, Pair>(box, some, to);
#endif
  }
};

template <typename Element, typename Index>
bool put_as(const Plan& plan, Workers& workers) {
  if constexpr (sizeof(Element) == 2 || sizeof(Element) == 4) {
    if (!has_images(plan)) return Method<Element, Index, Planes<Element, Index>>(plan).run(workers);
  }
  return Method<Element, Index, Images<Element, Index>>(plan).run(workers);
}

}  // namespace

bool put_doubled(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.unpooled.count() == 0) return true;
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return put_as<Element, Index>(plan, workers);
  });
}

}  // namespace cairn::max_unpool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_unpool {
namespace in_place {
std::optional<IndexFault> run(const Plan& plan, Workers& workers);
}
namespace sliding_window {
std::optional<IndexFault> run(const Plan& plan, Workers& workers);
}

namespace doubled {
namespace {

HWY_EXPORT(put_doubled);

bool is_run(const Size3& size, const View5& view) {
  const MergedPlane plane = merge_plane(size, view);
  return plane.is_one_run() && (plane.stride_w == 1 || size.count() == 1);
}

const char* why_not_rows(const Plan& plan) {
  const std::int64_t size = size_of(plan.type);
  if (const char* reason = why_not_planes(plan)) return reason;
  if (size != 2 && size != 4) return "elements have neither 2 nor 4 bytes, and channels are not side by side";
  if (!is_run(plan.pooled, plan.self)) return "planes of self have gaps";
  if (!is_run(plan.pooled, plan.indices)) return "planes of indices have gaps";
  if (plan.pooled.w * 2 * size < float_lanes() * 4) return "rows are shorter than a vector";
  return nullptr;
}

}  // namespace

const char* why_not(const Plan& plan) {
  if (!DoubledBox::fits(plan.pooled, plan.unpooled)) return "H and W are not doubled";
  if (plan.unpooled.count() > INT32_MAX) return "planes have more than 2^31 - 1 cells";
  if (!has_images(plan)) return why_not_rows(plan);
  // u2-nhwc-c3, two threads: 3.9 ms with it and 1.0 without.
  return plan.c < float_lanes() ? "channels are fewer than lanes" : nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (HWY_DYNAMIC_DISPATCH(put_doubled)(plan, workers)) return std::nullopt;
  return writes_past_cache(plan) ? sliding_window::run(plan, workers) : in_place::run(plan, workers);
}

}  // namespace doubled
}  // namespace cairn::max_unpool
#endif
