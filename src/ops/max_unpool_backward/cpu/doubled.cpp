#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/kit/cpu/channel_images.h"
#include "ops/kit/cpu/doubled_box.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_unpool_backward/cpu/doubled.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/doubled_box-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_unpool_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

std::optional<IndexFault> take_doubled(const Plan& /*plan*/, Workers& /*workers*/) { return std::nullopt; }

#else
namespace {

namespace hn = hwy::HWY_NAMESPACE;
namespace boxes = cairn::HWY_NAMESPACE;

// A row of cells: of one channel, or of channels side by side.
template <typename Element, typename Index>
struct Row {
  const Index* indices;
  const Element* plane;   // of gradOutput
  std::int64_t first;     // cell of gradOutput's plane that the first box begins with
  std::int64_t position;  // of the first among all cells, counted channel after channel
};

template <typename Element, typename Index>
class Method {
 public:
  explicit Method(const Plan& plan)
      : plan_(plan),
        box_(plan.pooled, plan.unpooled),
        channels_(plan.c > 1 && is_image(plan.out, plan.c, plan.pooled) ? plan.c : 1),
        planes_(plan.n * plan.c / channels_),
        limit_(plan.unpooled.count()),
        streaming_(writes_past_cache(plan)) {}

  std::optional<IndexFault> run(Workers& workers) const {
    FirstFault first;
    const Units rows{.count = planes_ * plan_.pooled.h, .elements = 4 * plan_.pooled.w * channels_};
    for_each_range(workers, rows,
                   [&](std::int64_t begin, std::int64_t end) { first.note(take_rows(begin, end)); });
    return first.get();
  }

 private:
  using Fault = std::optional<IndexFault>;
  using Pair = std::conditional_t<sizeof(Element) == 2, std::uint32_t, std::uint64_t>;
  static constexpr std::int64_t kAhead = 512 / sizeof(Element);
  static constexpr auto kMost = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element));

  // From several places by turns: the processor reads ahead at each. Reading what u2-segnet reads, two
  // threads of a Xeon reach 71 % of a copy's speed at one place, 78 at two.
  Fault take_rows(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kPlaces = 2;
    StreamWriter writers[kPlaces] = {StreamWriter(streaming_), StreamWriter(streaming_)};
    Fault fault;
    const std::int64_t each = (end - begin + kPlaces - 1) / kPlaces;
    for (std::int64_t i = 0; i < each; ++i) {
      for (std::int64_t place = 0; place < kPlaces; ++place) {
        const std::int64_t row = begin + place * each + i;
        if (row < end) take_row(row, writers[place], fault);
      }
    }
    return fault;
  }

  HWY_ATTR void take_row(std::int64_t number, StreamWriter& writer, Fault& fault) const {
    const std::int64_t h = number % plan_.pooled.h;
    const std::int64_t plane = number / plan_.pooled.h;
    const std::int64_t n = channels_ > 1 ? plane : plane / plan_.c;
    const std::int64_t c = channels_ > 1 ? 0 : plane % plan_.c;
    const std::int64_t width = plan_.pooled.w * channels_;
    const auto at = [&](const View5& view) { return n * view.n + c * view.c; };
    const Row<Element, Index> row{
        static_cast<const Index*>(plan_.indices.data) + at(plan_.indices) + h * width,
        static_cast<const Element*>(plan_.grad_output.data) + at(plan_.grad_output), box_.first_cell(h),
        plane * channels_ * plan_.pooled.count() + h * plan_.pooled.w};
    auto* to = static_cast<Element*>(plan_.out.data) + at(plan_.out) + h * width;
    if (channels_ == 1) {
      for (std::int64_t i = 0, count; i < width; i += count) {
        count = stretch(width - i);
        take_pairs(row, {i, i + count}, writer.room(to + i, count), fault);
      }
      return;
    }
    for (std::int64_t w = 0; w < plan_.pooled.w; ++w) {
      for (std::int64_t i = 0, count; i < channels_; i += count) {
        count = stretch(channels_ - i);
        take_channels(row, w, {i, i + count}, writer.room(to + w * channels_ + i, count), fault);
      }
    }
  }

  // So many that a vector at least is left for the last.
  static std::int64_t stretch(std::int64_t rest) { return rest <= kMost ? rest : std::min(kMost, rest / 2); }

  // Neighbours of a row. Two of a row of gradOutput are one lane of twice the size. The last vector ends with
  // them, and may write what the one before wrote.
  HWY_INLINE void take_pairs(const Row<Element, Index>& row, Span cells, Element* HWY_RESTRICT to,
                             Fault& fault) const {
    const hn::ScalableTag<Element> d;
    const hn::Repartition<Pair, decltype(d)> pairs;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t begin = cells.begin; begin < cells.end; begin += lanes) {
      const std::int64_t i = std::min(begin, cells.end - lanes);
      boxes::prefetch_ahead(row.indices + i, lanes, kAhead);
      auto low = hn::Zero(pairs);
      auto high = hn::Zero(pairs);
      if (take_half(pairs, row, i, low) && take_half(pairs, row, i + lanes / 2, high)) [[likely]] {
        hn::StoreU(hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low)), d, to + (i - cells.begin));
        continue;
      }
      for (std::int64_t k = i; k < i + lanes; ++k)
        to[k - cells.begin] = take_one(row, row.indices[k], {k, 0}, fault);
    }
  }

  // False if an index names no cell of its own box.
  template <class D>
  HWY_INLINE bool take_half(D d, const Row<Element, Index>& row, std::int64_t i, hn::Vec<D>& taken) const {
    const Element* from = row.plane + row.first + 2 * i;
    const Element* below = from + plan_.unpooled.w;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    boxes::prefetch_ahead(from, 2 * lanes, 4 * kAhead);
    boxes::prefetch_ahead(below, 2 * lanes, 4 * kAhead);
    auto distances = hn::Zero(d);
    if (!boxes::load_places(d, row.indices + i, distances)) return false;
    const auto steps = hn::Add(hn::Iota(d, 0), hn::Iota(d, 0));
    distances = hn::Sub(distances, hn::Add(steps, hn::Set(d, static_cast<Pair>(row.first + 2 * i))));
    const auto to_below = hn::Sub(distances, hn::Set(d, static_cast<Pair>(plan_.unpooled.w)));
    const auto two = hn::Set(d, Pair{2});
    const auto is_below = hn::Lt(to_below, two);
    if (!hn::AllTrue(d, hn::Or(is_below, hn::Lt(distances, two)))) return false;
    const auto pair = hn::IfThenElse(is_below, hn::LoadU(d, reinterpret_cast<const Pair*>(below)),
                                     hn::LoadU(d, reinterpret_cast<const Pair*>(from)));
    const auto is_left = hn::Eq(hn::IfThenElse(is_below, to_below, distances), hn::Zero(d));
    taken = hn::IfThenElse(is_left, pair, hn::ShiftRight<8 * sizeof(Element)>(pair));
    return true;
  }

  // Channels of the row's cell w.
  HWY_INLINE void take_channels(const Row<Element, Index>& row, std::int64_t w, Span channels,
                                Element* HWY_RESTRICT to, Fault& fault) const {
    const hn::ScalableTag<Element> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t cell = row.first + 2 * w;
    const Index* indices = row.indices + w * channels_;
    const Element* left = row.plane + cell * channels_;
    const Element* left_below = left + plan_.unpooled.w * channels_;
    std::int64_t c = channels.begin;
    for (; c + lanes <= channels.end; c += lanes) {
      boxes::prefetch_ahead(indices + c, lanes, kAhead);
      for (const Element* from : {left, left_below}) {
        boxes::prefetch_ahead(from + c, lanes, 8 * channels_);
        boxes::prefetch_ahead(from + channels_ + c, lanes, 8 * channels_);
      }
      auto distances = hn::Zero(d);
      if (!load_distances(d, indices + c, cell, distances)) [[unlikely]] {
        for (std::int64_t k = c; k < c + lanes; ++k)
          to[k - channels.begin] = take_one(row, indices[k], {w, k}, fault);
        continue;
      }
      const auto is = [&](std::int64_t place)
                          HWY_ATTR { return hn::Eq(distances, hn::Set(d, static_cast<Element>(place))); };
      auto taken = hn::LoadU(d, left + c);
      taken = hn::IfThenElse(is(1), hn::LoadU(d, left + channels_ + c), taken);
      taken = hn::IfThenElse(is(plan_.unpooled.w), hn::LoadU(d, left_below + c), taken);
      taken = hn::IfThenElse(is(plan_.unpooled.w + 1), hn::LoadU(d, left_below + channels_ + c), taken);
      hn::StoreU(taken, d, to + (c - channels.begin));
    }
    for (; c < channels.end; ++c) to[c - channels.begin] = take_one(row, indices[c], {w, c}, fault);
  }

  // How far indices lie behind a cell; of 16 bits the lowest. False if one is not in the box.
  template <class D>
  HWY_INLINE bool load_distances(D d, const Index* indices, std::int64_t cell, hn::Vec<D>& distances) const {
    using Lane = hn::TFromD<D>;
    if constexpr (sizeof(Lane) == 2) {
      const hn::Repartition<std::uint32_t, D> wide;
      auto low = hn::Zero(wide);
      auto high = hn::Zero(wide);
      if (!load_distances(wide, indices, cell, low)) return false;
      if (!load_distances(wide, indices + hn::Lanes(wide), cell, high)) return false;
      distances = hn::ConcatEven(d, hn::BitCast(d, high), hn::BitCast(d, low));
      return true;
    } else {
      if (!boxes::load_places(d, indices, distances)) return false;
      distances = hn::Sub(distances, hn::Set(d, static_cast<Lane>(cell)));
      return boxes::are_in_box<2>(d, distances, box_);
    }
  }

  struct Place {
    std::int64_t cell;
    std::int64_t channel;
  };

  HWY_INLINE Element take_one(const Row<Element, Index>& row, std::int64_t index, Place place,
                              Fault& fault) const {
    if (static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(limit_))
      return row.plane[index * channels_ + place.channel];
    if (index != -1) {
      const std::int64_t position = row.position + place.channel * plan_.pooled.count() + place.cell;
      if (!fault || position < fault->position) fault = IndexFault{position, index, limit_};
    }
    return 0;
  }

  const Plan& plan_;
  const DoubledBox box_;
  const std::int64_t channels_;  // that lie side by side
  const std::int64_t planes_;    // of those
  const std::int64_t limit_;
  const bool streaming_;
};

}  // namespace

std::optional<IndexFault> take_doubled(const Plan& plan, Workers& workers) {
  const auto run = [&]<typename Element>() {
    return with_index_type(plan.index_type,
                           [&]<typename Index>() { return Method<Element, Index>(plan).run(workers); });
  };
  return size_of(plan.type) == 2 ? run.template operator()<std::uint16_t>()
                                 : run.template operator()<std::uint32_t>();
}

#endif

}  // namespace cairn::max_unpool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_unpool_backward {
namespace channels {
std::optional<IndexFault> run(const Plan& plan, Workers& workers);
const char* why_not(const Plan& plan);
}  // namespace channels
namespace strided {
std::optional<IndexFault> run(const Plan& plan, Workers& workers);
}

namespace doubled {
namespace {

HWY_EXPORT(take_doubled);

bool is_run(const Size3& size, const View5& view) {
  const MergedPlane plane = merge_plane(size, view);
  return plane.is_one_run() && (plane.stride_w == 1 || size.count() == 1);
}

const char* why_not_rows(const Plan& plan) {
  if (const char* reason = why_not_contiguous(plan)) return reason;
  if (!is_run(plan.pooled, plan.indices)) return "planes of indices have gaps";
  if (!is_run(plan.unpooled, plan.grad_output)) return "planes of gradOutput have gaps";
  if (plan.pooled.w * size_of(plan.type) < float_lanes() * 4) return "rows are shorter than a vector";
  return nullptr;
}

// Whether indices name cells of their own boxes, by a few of them.
template <typename Index>
bool lie_in_boxes(const Plan& plan) {
  constexpr std::int64_t kSamples = 32;
  const DoubledBox box(plan.pooled, plan.unpooled);
  const std::int64_t cells = plan.pooled.count();
  const std::int64_t total = plan.n * plan.c * cells;
  std::int64_t met = 0;
  for (std::int64_t k = 0; k < kSamples; ++k) {
    const std::int64_t position = total / kSamples * k + (total / kSamples) / 2;
    const std::int64_t n = position / cells / plan.c;
    const std::int64_t c = position / cells % plan.c;
    const std::int64_t h = position % cells / plan.pooled.w;
    const std::int64_t w = position % plan.pooled.w;
    const View5& view = plan.indices;
    const std::int64_t index =
        static_cast<const Index*>(view.data)[n * view.n + c * view.c + h * view.h + w * view.w];
    const auto distance =
        static_cast<std::uint64_t>(index) - static_cast<std::uint64_t>(box.first_cell(h) + 2 * w);
    met += distance < 2 || distance - static_cast<std::uint64_t>(plan.unpooled.w) < 2 ? 1 : 0;
  }
  return met >= kSamples * 3 / 4;
}

}  // namespace

const char* why_not(const Plan& plan) {
  const std::int64_t size = size_of(plan.type);
  if (float_lanes() <= 1) return "this instruction set has no vectors";
  if (size != 2 && size != 4) return "elements have neither 2 nor 4 bytes";
  if (plan.pooled.d != 1 || !DoubledBox::fits(plan.pooled, plan.unpooled) || plan.unpooled.d != 1)
    return "planes are not doubled along H and W alone";
  if (plan.unpooled.count() > INT32_MAX) return "planes have more than 2^31 - 1 cells";
  if (channels::why_not(plan) != nullptr) return why_not_rows(plan);
  if (plan.c * size < float_lanes() * 4) return "there are fewer channels than lanes of a vector";
  return size == 4 || DoubledBox(plan.pooled, plan.unpooled).fits_short() ? nullptr
                                                                          : "W is a multiple of 65536";
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return std::nullopt;
  const bool fits = plan.index_type == DataType::kInt32 ? lie_in_boxes<std::int32_t>(plan)
                                                        : lie_in_boxes<std::int64_t>(plan);
  if (fits) return HWY_DYNAMIC_DISPATCH(take_doubled)(plan, workers);
  return channels::why_not(plan) == nullptr ? channels::run(plan, workers) : strided::run(plan, workers);
}

}  // namespace doubled
}  // namespace cairn::max_unpool_backward
#endif
