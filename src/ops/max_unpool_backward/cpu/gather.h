#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "backend/kernel.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/flat_places.h"
#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward {

// In which order the cells of a run are filled.
enum class Order { kFlat, kShuffled };

// True if the call leaves nothing useful of its output in the cache.
inline bool writes_past_cache(const Plan& plan) {
  const std::int64_t size = size_of(plan.type);
  return streams_past_cache(
      plan.n * plan.c *
      (plan.pooled.count() * (size + size_of(plan.index_type)) + plan.unpooled.count() * size));
}

// What speaks against copying to one place after the other.
inline const char* why_not_contiguous(const Plan& plan) {
  if (plan.out_type != plan.type) return "out has another type";
  return is_dense(plan.out, plan.n, plan.c, plan.pooled) ? nullptr : "out has gaps";
}

// Cells of one plane.
struct Cells {
  std::int64_t n;
  std::int64_t c;
  Span range;
  std::int64_t position;  // of the first, among all cells
};

// How a task writes an out without gaps of gradOutput's type.
template <typename Element>
class DenseOut {
 public:
  explicit DenseOut(const Plan& plan)
      : out_(static_cast<Element*>(plan.out.data)),
        streaming_(writes_past_cache(plan)),
        writer_(streaming_) {}

  // Whether cells are gathered on a stage and stored from there.
  bool stages() const { return streaming_; }
  Element* room(const Cells& cells, Element* stage) const {
    return streaming_ ? stage : out_ + cells.position;
  }
  // What lies in the room.
  void store(const Cells& cells, const Element* from) {
    if (streaming_) writer_.write(out_ + cells.position, from, cells.range.size());
  }

 private:
  Element* const out_;
  const bool streaming_;
  StreamWriter writer_;
};

// Each cell takes the element that its index names. Element is any type of the right size: bits are copied,
// never interpreted.
template <typename Element, typename Index, typename Source, Order kOrder, typename Out = DenseOut<Element>>
class Gather {
 public:
  explicit Gather(const Plan& plan) : Gather(plan, Source(merge_plane(plan.unpooled, plan.grad_output))) {}
  Gather(const Plan& plan, const Source& source)
      : plan_(plan),
        indices_(merge_plane(plan.pooled, plan.indices)),
        source_(source),
        pooled_count_(plan.pooled.count()),
        unpooled_count_(plan.unpooled.count()),
        total_(plan.n * plan.c * pooled_count_),
        past_cache_(writes_past_cache(plan)) {}

  std::optional<IndexFault> run(Workers& workers) const {
    constexpr std::int64_t kLine = 64;
    if (total_ == 0) return std::nullopt;
    FirstFault first;
    for_each_range(workers, {.count = total_, .elements = 1, .multiple = kLine},
                   [&](std::int64_t begin, std::int64_t end) { first.note(fill_range(begin, end)); });
    return first.get();
  }

 private:
  // The processor foresees dense reads itself; wide elements spread theirs over too many lines for that.
  static constexpr bool kPrefetches = sizeof(Element) >= 4;
  static constexpr std::int64_t kAhead = 16;
  // Cells that are stored together: few, so that reading never stops for long.
  static constexpr std::int64_t kTurn = 256;

  struct Task {
    explicit Task(const Plan& plan) : out(plan) {}
    Out out;
    std::optional<IndexFault> fault;
    std::int64_t prefetched = -1;  // the turn that begins at this position is on its way to the cache
    alignas(64) Element stage[kTurn];
  };

  // out[begin, end), counted over the whole tensor.
  std::optional<IndexFault> fill_range(std::int64_t begin, std::int64_t end) const {
    Task task(plan_);
    std::int64_t n = begin / pooled_count_ / plan_.c;
    std::int64_t c = begin / pooled_count_ % plan_.c;
    std::int64_t cell = begin % pooled_count_;
    while (begin < end) {
      std::int64_t count = std::min(end - begin, pooled_count_ - cell);
      if (task.out.stages()) count = std::min(count, kTurn);
      const Cells cells{n, c, {cell, cell + count}, begin};
      const Plane plane{
          static_cast<const Index*>(plan_.indices.data) + n * plan_.indices.n + c * plan_.indices.c,
          static_cast<const Element*>(plan_.grad_output.data) + n * plan_.grad_output.n +
              c * plan_.grad_output.c,
          begin - cell};
      Element* to = task.out.room(cells, task.stage);
      fill_cells(plane, cell, count, to, task);
      task.out.store(cells, to);
      begin += count;
      cell += count;
      if (cell == pooled_count_) {
        cell = 0;
        if (++c == plan_.c) c = 0, ++n;
      }
    }
    return task.fault;
  }

  struct Plane {
    const Index* indices;
    const Element* grad_output;
    std::int64_t first_position;  // of this plane's cells among all
  };

  void fill_cells(const Plane& plane, std::int64_t cell, std::int64_t count, Element* to, Task& task) const {
    if (indices_.is_one_run()) {
      const Run run{plane, plane.indices + cell * indices_.stride_w, cell, pooled_count_ - cell};
      if constexpr (kOrder == Order::kShuffled) {
        if (task.out.stages() && count == kTurn) return fill_turn(run, to, task);
      }
      return fill_run(run, count, to, task);
    }
    const std::int64_t width = indices_.size.w;
    std::int64_t w = cell % width;
    std::int64_t h = cell / width % indices_.size.h;
    std::int64_t d = cell / width / indices_.size.h;
    while (count > 0) {
      const Index* row =
          plane.indices + d * indices_.stride_d + h * indices_.stride_h + w * indices_.stride_w;
      const std::int64_t some = std::min(count, width - w);
      fill_run({plane, row, cell, width - w}, some, to, task);
      cell += some;
      to += some;
      count -= some;
      w = 0;
      if (++h == indices_.size.h) h = 0, ++d;
    }
  }

  // Cells whose indices lie in steps of one stride.
  struct Run {
    const Plane& plane;
    const Index* indices;
    std::int64_t cell;   // the first
    std::int64_t known;  // so many indices may be read
  };

  // What the loops need, copied: a store to a cell may otherwise change anything the compiler would like to
  // keep in registers. kStride: of the indices, or 0 if it is known at run time alone.
  template <std::int64_t kStride>
  class Taker {
   public:
    Taker(const Gather& gather, const Run& run, Element* to)
        : source_(gather.source_),
          indices_(run.indices),
          grad_output_(run.plane.grad_output),
          to_(to),
          stride_(gather.indices_.stride_w),
          limit_(static_cast<std::uint64_t>(gather.unpooled_count_)) {}

    HWY_INLINE void take(std::int64_t i) {
      const std::int64_t index = indices_[i * stride()];
      if (static_cast<std::uint64_t>(index) < limit_) [[likely]] {
        to_[i] = grad_output_[source_.offset(static_cast<std::uint64_t>(index))];
        return;
      }
      to_[i] = 0;
      if (index != -1) stray_ = std::min(stray_, i);
    }

    // Of the cell's element: 3 is the first level of the cache, 2 the second, which takes more requests at a
    // time.
    template <int kLevel>
    HWY_INLINE void prefetch(std::int64_t i) const {
      const std::int64_t index = indices_[i * stride()];
      if (static_cast<std::uint64_t>(index) < limit_) [[likely]] {
        __builtin_prefetch(grad_output_ + source_.offset(static_cast<std::uint64_t>(index)), 0, kLevel);
      }
    }

    void report(const Run& run, Task& task) const {
      if (stray_ == kNone || task.fault) return;
      task.fault = IndexFault{run.plane.first_position + run.cell + stray_, indices_[stray_ * stride()],
                              static_cast<std::int64_t>(limit_)};
    }

   private:
    static constexpr std::int64_t kNone = INT64_MAX;

    std::int64_t stride() const { return kStride == 0 ? stride_ : kStride; }

    const Source source_;
    const Index* HWY_RESTRICT indices_;
    const Element* HWY_RESTRICT grad_output_;
    Element* HWY_RESTRICT to_;
    const std::int64_t stride_;
    const std::uint64_t limit_;
    std::int64_t stray_ = kNone;  // the first cell whose index is neither in the plane nor -1
  };

  void fill_run(const Run& run, std::int64_t count, Element* to, Task& task) const {
    // Telling axes apart takes longer than anything known about the indices would save.
    if constexpr (!std::is_same_v<Source, RowPlaces>) {
      if (!past_cache_ && indices_.stride_w == 1) return fill_run(Taker<1>(*this, run, to), run, count, task);
    }
    Taker<0> taker(*this, run, to);
    const std::int64_t prefetched =
        kPrefetches && past_cache_ ? std::clamp<std::int64_t>(run.known - kAhead, 0, count) : 0;
    std::int64_t i = 0;
    for (; i < prefetched; ++i) {
      taker.template prefetch<3>(i + kAhead);
      taker.take(i);
    }
    for (; i < count; ++i) taker.take(i);
    taker.report(run, task);
  }

  // Indices side by side, and all that they name in the cache.
  static void fill_run(Taker<1> taker, const Run& run, std::int64_t count, Task& task) {
    constexpr std::int64_t kTogether = 8;
    std::int64_t i = 0;
    for (; i + kTogether <= count; i += kTogether)
      for (std::int64_t j = 0; j < kTogether; ++j) taker.take(i + j);
    for (; i < count; ++i) taker.take(i);
    taker.report(run, task);
  }

  // kTurn cells.
  void fill_turn(const Run& run, Element* to, Task& task) const {
    constexpr std::int64_t kStep = 77;  // any odd number that leads far away
    static_assert((kTurn & (kTurn - 1)) == 0);
    Taker<0> taker(*this, run, to);
    const std::int64_t position = run.plane.first_position + run.cell;
    if (task.prefetched != position) {
      for (std::int64_t k = 0; k < kTurn; ++k) taker.template prefetch<2>(k * kStep % kTurn);
    }
    if (run.known >= 2 * kTurn) {
      for (std::int64_t k = 0; k < kTurn; ++k) {
        const std::int64_t i = k * kStep % kTurn;
        taker.template prefetch<2>(i + kTurn);
        taker.take(i);
      }
      task.prefetched = position + kTurn;
    } else {
      for (std::int64_t k = 0; k < kTurn; ++k) taker.take(k * kStep % kTurn);
    }
    taker.report(run, task);
  }

  const Plan& plan_;
  const MergedPlane indices_;
  const Source source_;
  const std::int64_t pooled_count_;
  const std::int64_t unpooled_count_;
  const std::int64_t total_;
  const bool past_cache_;
};

}  // namespace cairn::max_unpool_backward
