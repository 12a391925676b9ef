#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_unpool/cpu/doubled.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_unpool::HWY_NAMESPACE {
namespace {

// left[i] and right[i] are self[i] where its index names `cell`, or the one behind it, else 0. Returns how
// often one did.
template <typename Element, typename Index>
HWY_INLINE HWY_ATTR std::int64_t select(const Index* HWY_RESTRICT indices, const Element* HWY_RESTRICT self,
                                        std::int64_t count, std::int64_t cell, Element* HWY_RESTRICT left,
                                        Element* HWY_RESTRICT right) {
  using Place = std::make_unsigned_t<Index>;
  Place met = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const Place distance = static_cast<Place>(indices[i]) - static_cast<Place>(cell);
    left[i] = distance == 0 ? self[i] : Element{0};
    right[i] = distance == 1 ? self[i] : Element{0};
    met += distance < 2 ? 1 : 0;
  }
  return static_cast<std::int64_t>(met);
}

template <typename T>
HWY_INLINE void ask_for(const T* from, std::int64_t count) {
  constexpr std::int64_t kAhead = 2048 / sizeof(T);
  constexpr std::int64_t kLine = 64 / sizeof(T);
  for (std::int64_t i = 0; i < count; i += kLine) hwy::Prefetch(from + kAhead + i);
}

// The planes are images of channels side by side.
template <typename Element, typename Index>
class Method {
 public:
  explicit Method(const Plan& plan)
      : plan_(plan),
        slices_(plan.unpooled.d / plan.pooled.d),
        most_(std::min(plan.c, kMost)),
        streaming_(writes_past_cache(plan)) {}

  // False if some index names no cell of its own box.
  bool run(Workers& workers) const {
    std::atomic<bool> is_lost{false};
    const Size3& in = plan_.pooled;
    for_each_range(workers, {.count = plan_.n * in.d * in.h, .elements = 4 * slices_ * in.w * plan_.c},
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
  using Writers = std::array<StreamWriter, 4>;  // of a row of out each
  static constexpr auto kMost = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element) / 2);

  bool put_row(std::int64_t row, Writers& writers) const {
    const Size3& in = plan_.pooled;
    const std::int64_t n = row / in.h / in.d;
    const std::int64_t first = row % (in.h * in.d) * in.w * plan_.c;
    const auto* self = static_cast<const Element*>(plan_.self.data) + n * plan_.self.n + first;
    const auto* indices = static_cast<const Index*>(plan_.indices.data) + n * plan_.indices.n + first;
    auto* to = static_cast<Element*>(plan_.out.data) + n * plan_.out.n;
    std::int64_t box = (row / in.h % in.d * slices_ * plan_.unpooled.h + row % in.h * 2) * plan_.unpooled.w;
    for (std::int64_t w = 0; w < in.w; ++w, box += 2) {
      for (std::int64_t c = 0; c < plan_.c; c += most_) {
        const std::int64_t count = std::min(most_, plan_.c - c);
        if (!put(indices + c, self + c, count, box, to + box * plan_.c + c, writers)) return false;
      }
      self += plan_.c;
      indices += plan_.c;
    }
    return true;
  }

  // Some channels of a cell. `to` is where they lie in the box's first one.
  HWY_ATTR bool put(const Index* indices, const Element* self, std::int64_t count, std::int64_t box,
                    Element* to, Writers& writers) const {
    ask_for(indices, count);
    ask_for(self, count);
    std::int64_t met = 0;
    for (std::int64_t r = 0; r < 2 * slices_; ++r) {
      const std::int64_t there = (r / 2 * plan_.unpooled.h + r % 2) * plan_.unpooled.w;
      StreamWriter& writer = writers[static_cast<std::size_t>(r)];
      Element* row = to + there * plan_.c;
      if (count == plan_.c) {
        Element* room = writer.room(row, 2 * count);
        met += select(indices, self, count, box + there, room, room + count);
      } else {
        alignas(64) Element right[kMost];
        met += select(indices, self, count, box + there, writer.room(row, count), right);
        writer.write(row + plan_.c, right, count);
      }
    }
    return met == count || met + std::count(indices, indices + count, Index{-1}) == count;
  }

  const Plan& plan_;
  const std::int64_t slices_;  // of a box
  const std::int64_t most_;    // channels at a time
  const bool streaming_;
};

}  // namespace

bool put_doubled(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.unpooled.count() == 0) return true;
  return with_bits_and_index_type(plan.type, plan.index_type,
                                  [&]<typename Element, typename Index>()
                                      HWY_ATTR { return Method<Element, Index>(plan).run(workers); });
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

HWY_EXPORT(put_doubled);

const char* why_not(const Plan& plan) {
  const Size3& in = plan.pooled;
  const Size3& out = plan.unpooled;
  if (!has_images(plan)) return "channels do not lie side by side in all tensors";
  if (in.h * 2 != out.h || in.w * 2 != out.w || (in.d != out.d && in.d * 2 != out.d))
    return "H and W are not doubled";
  if (plan.index_type == DataType::kInt32 && out.count() > INT32_MAX) return "indices cannot name all cells";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (HWY_DYNAMIC_DISPATCH(put_doubled)(plan, workers)) return std::nullopt;
  return writes_past_cache(plan) ? sliding_window::run(plan, workers) : in_place::run(plan, workers);
}

}  // namespace doubled
}  // namespace cairn::max_unpool
#endif
