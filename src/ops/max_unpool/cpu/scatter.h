#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/kit/cpu/channel_images.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/span.h"
#include "ops/max_unpool/cpu/anywhere.h"
#include "ops/max_unpool/cpu/direct.h"
#include "ops/max_unpool/cpu/elements.h"
#include "ops/max_unpool/cpu/pieces.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// What is to be done once more, because an index was not met where it was expected.
class Again {
 public:
  Again(std::int64_t planes, std::int64_t pieces)
      : pieces_(pieces),
        marks_(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(planes * (pieces + 1)))) {}

  // One piece, or a plane whose indices lie anywhere.
  void note(std::int64_t plane, std::int64_t piece) {
    mark(plane, piece).store(true, std::memory_order_relaxed);
  }
  void note(std::int64_t plane) { note(plane, pieces_); }
  bool has(std::int64_t plane, std::int64_t piece) const {
    return mark(plane, piece).load(std::memory_order_relaxed);
  }
  bool has(std::int64_t plane) const { return has(plane, pieces_); }

 private:
  std::atomic<bool>& mark(std::int64_t plane, std::int64_t piece) const {
    return marks_[static_cast<std::size_t>(plane * (pieces_ + 1) + piece)];
  }

  std::int64_t pieces_;
  std::unique_ptr<std::atomic<bool>[]> marks_;
};

// Puts the elements of self into cells that a Window holds. Element is any type of the right size: bits are
// copied, never interpreted. kImages: the planes are images of so many channels side by side.
template <typename Element, typename Index, template <typename> class Window, bool kImages = false>
class Scatter {
 public:
  explicit Scatter(const Plan& plan, std::int64_t channels = 1)
      : plan_(plan),
        elements_(plan),
        pooled_count_(plan.pooled.count()),
        unpooled_count_(plan.unpooled.count()),
        channels_(channels),
        limit_(unpooled_count_ / channels) {}

  std::optional<IndexFault> run(Workers& workers) const {
    const Pieces pieces(plan_, workers.count());
    const std::int64_t reach = pieces.cells_in_use(static_cast<std::int64_t>(sizeof(Element)));
    const std::int64_t count = pieces.count();
    const std::int64_t planes = plan_.n * plan_.c;
    Again again(planes, count);
    FirstFault first;
    for_each_range(workers, {.count = planes * count, .elements = unpooled_count_ / count},
                   [&](std::int64_t begin, std::int64_t end) {
                     const OfThread<typename Window<Element>::Memory> memory;
                     Window<Element> window(plan_, reach, *memory);
                     for (std::int64_t i = begin; i < end; ++i) {
                       Task task{window, pieces, again, i / count, pieces[i % count]};
                       if (!again.has(task.plane)) fill(task);
                       first.note(task.fault);
                     }
                   });
    repair(workers, pieces, again, first);
    return first.get();
  }

 private:
  using Run = typename Elements<Element, Index>::Run;
  using Direct = typename Window<Element>::Direct;

  // The cell that an index names, past all of them if there is none.
  class Named {
   public:
    explicit Named(const Scatter& scatter)
        : channels_(static_cast<std::uint64_t>(scatter.channels_)),
          limit_(static_cast<std::uint64_t>(scatter.limit_)) {}
    HWY_INLINE std::uint64_t cell(std::int64_t index, std::int64_t channel) const {
      if constexpr (!kImages) return static_cast<std::uint64_t>(index);
      return std::min(static_cast<std::uint64_t>(index), limit_) * channels_ +
             static_cast<std::uint64_t>(channel);
    }

   private:
    std::uint64_t channels_;
    std::uint64_t limit_;
  };

  // Calls body(elements, channel of the first) for stretches of a run in which channels count up, until one
  // returns false.
  template <typename Body>
  HWY_INLINE bool for_each_channels(const Run& run, const Body& body) const {
    if constexpr (!kImages) return body({0, run.count}, 0);
    std::int64_t channel = run.first % channels_;
    for (std::int64_t i = 0; i < run.count;) {
      const std::int64_t end = std::min(i + channels_ - channel, run.count);
      if (!body({i, end}, channel)) return false;
      i = end;
      channel = 0;
    }
    return true;
  }

  struct Task {
    Window<Element>& window;
    const Pieces& pieces;
    Again& again;
    std::int64_t plane;
    Piece piece;
    std::int64_t seen = 0;
    std::int64_t strays = 0;  // that were not met where they were expected
    std::optional<IndexFault> fault = std::nullopt;

    // Whether it is better to look at the plane without expecting anything.
    bool is_lost() const {
      constexpr std::int64_t kFew = 64;
      constexpr std::int64_t kShare = 32;
      return strays > kFew + seen / kShare;
    }
  };

  Element* plane_of_out(std::int64_t plane) const {
    return static_cast<Element*>(plan_.out.data) + plane / plan_.c * plan_.out.n +
           plane % plan_.c * plan_.out.c;
  }

  void fill(Task& task) const {
    if (task.pieces.has_many_slices() &&
        lie_anywhere(elements_, task.plane, task.piece.own, {pooled_count_, limit_}))
      return task.again.note(task.plane);
    const Piece& piece = task.piece;
    task.window.start({plane_of_out(task.plane), piece.cells});
    const auto put_all = [&]<bool kOwn>(Span positions) {
      return elements_.for_each_run(task.plane, positions,
                                    [&](const Run& run) { return put<kOwn>(task, run); });
    };
    if (put_all.template operator()<false>({piece.looked_at.begin, piece.own.begin}) &&
        put_all.template operator()<true>(piece.own) &&
        put_all.template operator()<false>({piece.own.end, piece.looked_at.end}))
      return task.window.finish();
    task.again.note(task.plane);
    task.window.abandon();
  }

  // False if the task is lost.
  template <bool kOwn>
  bool put(Task& task, const Run& run) const {
    const bool dense = run.self_stride == 1 && run.index_stride == 1;
    return dense ? Putter<kOwn, true>(*this, task, run).run() : Putter<kOwn, false>(*this, task, run).run();
  }

  // The loop over a run. Everything is copied: a store to a slot may otherwise change anything the compiler
  // would like to keep in registers.
  template <bool kOwn, bool kDense>
  class Putter {
   public:
    HWY_INLINE Putter(const Scatter& scatter, Task& task, const Run& run)
        : scatter_(scatter),
          task_(task),
          run_(run),
          slots_(task.window),
          named_(scatter),
          self_stride_(kDense ? 1 : run.self_stride),
          index_stride_(kDense ? 1 : run.index_stride) {
      locate();
    }

    HWY_INLINE bool run() {
      return scatter_.for_each_channels(
          run_, [this](Span some, std::int64_t channel) { return put(some, channel); });
    }

   private:
    // What lies there are channels of one cell, the first of them `channel`.
    HWY_INLINE bool put(Span some, std::int64_t channel) {
      constexpr std::int64_t kTogether = 8;
      constexpr std::int64_t kAhead = 256;
      const std::int64_t last = run_.count - 1;
      std::int64_t i = some.begin;
      channel -= i;
      for (; i + kTogether <= some.end; i += kTogether) {
        // The processor stops reading ahead while cells are handed to memory.
        __builtin_prefetch(run_.indices + std::min(i + kAhead, last) * index_stride_);
        for (std::int64_t j = 0; j < kTogether; ++j)
          if (!put(i + j, channel + i + j)) return false;
      }
      for (; i < some.end; ++i)
        if (!put(i, channel + i)) return false;
      return true;
    }

    HWY_INLINE void locate() {
      to_ = task_.window.slots();
      base_ = static_cast<std::uint64_t>(task_.window.base());
      span_ = static_cast<std::uint64_t>(task_.window.span());
    }

    HWY_INLINE bool put(std::int64_t i, std::int64_t channel) {
      const std::int64_t index = run_.indices[i * index_stride_];
      const std::uint64_t cell = named_.cell(index, channel);
      if (cell - base_ < span_) [[likely]] {
        to_[slots_.slot(cell)] = run_.self[i * self_stride_];
        return true;
      }
      if (index == -1 || (!kOwn && !task_.piece.cells.has(static_cast<std::int64_t>(cell)))) return true;
      task_.seen = run_.first + i - task_.piece.looked_at.begin;
      scatter_.put_one(task_, run_, i, static_cast<std::int64_t>(cell));
      locate();
      return !task_.is_lost();
    }

    const Scatter& scatter_;
    Task& task_;
    const Run run_;
    const Window<Element> slots_;
    const Named named_;
    const std::int64_t self_stride_;
    const std::int64_t index_stride_;
    Element* HWY_RESTRICT to_;
    std::uint64_t base_;
    std::uint64_t span_;
  };

  // An element whose cell is not in the window.
  HWY_NOINLINE void put_one(Task& task, const Run& run, std::int64_t i, std::int64_t cell) const {
    if (task.piece.cells.has(cell)) {
      if (!task.window.put_elsewhere(cell, run.self[i * run.self_stride])) ++task.strays;
    } else if (static_cast<std::uint64_t>(cell) < static_cast<std::uint64_t>(unpooled_count_)) {
      const std::int64_t other = task.pieces.with_cell(cell);
      if (task.pieces[other].looked_at.has(run.first + i)) return;
      task.again.note(task.plane, other);
      ++task.strays;
    } else {
      note_fault(task.fault, task.plane, run, i);
    }
  }

  // Positions are counted channel after channel, in whatever order elements are met.
  HWY_NOINLINE void note_fault(std::optional<IndexFault>& fault, std::int64_t plane, const Run& run,
                               std::int64_t i) const {
    const std::int64_t element = run.first + i;
    const std::int64_t position =
        plane * pooled_count_ + element % channels_ * (pooled_count_ / channels_) + element / channels_;
    if (!fault || position < fault->position)
      fault = IndexFault{position, run.indices[i * run.index_stride], limit_};
  }

  struct Job {
    std::int64_t plane;
    Span cells;
  };

  // Looks at whole planes: for the cells of each piece that missed an element, or for all.
  void repair(Workers& workers, const Pieces& pieces, const Again& again, FirstFault& first) const {
    const std::int64_t planes = plan_.n * plan_.c;
    std::vector<Job> jobs;
    std::vector<std::int64_t> whole;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      const std::size_t before = jobs.size();
      for (std::int64_t i = 0; i < pieces.count() && !again.has(plane); ++i) {
        if (again.has(plane, i)) jobs.push_back({plane, pieces[i].cells});
      }
      // Each job looks at all elements.
      const bool many = static_cast<std::int64_t>(jobs.size() - before) > workers.count();
      if (many) jobs.resize(before);
      if (many || again.has(plane)) whole.push_back(plane);
    }
    const auto lost = static_cast<std::int64_t>(whole.size());
    const std::int64_t parts = lost == 0 ? 1 : std::min((workers.count() + lost - 1) / lost, pieces.most());
    for (const std::int64_t plane : whole) {
      for (std::int64_t i = 0; i < parts; ++i)
        jobs.push_back({plane, {unpooled_count_ * i / parts, unpooled_count_ * (i + 1) / parts}});
    }
    for_each_range(workers, {.count = static_cast<std::int64_t>(jobs.size()), .elements = pooled_count_},
                   [&](std::int64_t begin, std::int64_t end) {
                     for (std::int64_t i = begin; i < end; ++i)
                       first.note(look_everywhere(jobs[static_cast<std::size_t>(i)]));
                   });
  }

  std::optional<IndexFault> look_everywhere(const Job& job) const {
    Direct window(plan_);
    window.start({plane_of_out(job.plane), job.cells});
    std::optional<IndexFault> fault;
    const bool whole = job.cells.size() == unpooled_count_;
    elements_.for_each_run(job.plane, {0, pooled_count_}, [&](const Run& run) {
      const auto bad = [&](std::int64_t i) { note_fault(fault, job.plane, run, i); };
      whole ? put_anywhere<true>(window, run, bad) : put_anywhere<false>(window, run, bad);
      return true;
    });
    return fault;
  }

  // Calls bad(i) for each element whose index is neither in the plane nor -1.
  template <bool kWhole, typename Bad>
  void put_anywhere(const Direct& window, const Run& run, const Bad& bad) const {
    const Direct slots = window;
    const Named named(*this);
    Element* HWY_RESTRICT to = window.slots();
    const auto base = static_cast<std::uint64_t>(window.base());
    const auto span = static_cast<std::uint64_t>(window.span());
    const auto limit = static_cast<std::uint64_t>(limit_);
    Element nowhere = 0;
    for_each_channels(run, [&](Span some, std::int64_t channel) {
      for (std::int64_t i = some.begin; i < some.end; ++i, ++channel) {
        const std::int64_t index = run.indices[i * run.index_stride];
        const Element value = run.self[i * run.self_stride];
        if (static_cast<std::uint64_t>(index) < limit) [[likely]] {
          // Which cells are others' cannot be foreseen, so there is no branch.
          const std::uint64_t cell = named.cell(index, channel);
          Element* there = to + slots.slot(cell);
          *(kWhole || cell - base < span ? there : &nowhere) = value;
        } else if (index != -1) {
          bad(i);
        }
      }
      return true;
    });
  }

  const Plan& plan_;
  const Elements<Element, Index> elements_;
  const std::int64_t pooled_count_;
  const std::int64_t unpooled_count_;
  const std::int64_t channels_;
  const std::int64_t limit_;  // cells that an index may name
};

// Whether channels lie side by side in all tensors.
inline bool has_images(const Plan& plan) {
  return plan.c > 1 && is_image(plan.self, plan.c, plan.pooled) &&
         is_image(plan.indices, plan.c, plan.pooled) && is_image(plan.out, plan.c, plan.unpooled);
}
inline Plan images_of(Plan plan) {
  plan.pooled = image_size(plan.pooled, plan.c);
  plan.unpooled = image_size(plan.unpooled, plan.c);
  plan.self = image_view(plan.self);
  plan.indices = image_view(plan.indices);
  plan.out = image_view(plan.out);
  plan.c = 1;
  return plan;
}

// What speaks against windows that count on cells side by side.
inline const char* why_not_planes(const Plan& plan) {
  return is_dense(plan.out, plan.n, plan.c, plan.unpooled) ? nullptr : "out has gaps";
}
inline const char* why_not_contiguous(const Plan& plan) {
  if (why_not_planes(plan) == nullptr || has_images(plan)) return nullptr;
  return "out has gaps, or only some tensors have channels side by side";
}

// Whether the call leaves nothing useful of its output in the cache, and whole lines can be written past it.
inline bool writes_past_cache(const Plan& plan) {
  const std::int64_t size = size_of(plan.type);
  return streams_past_cache(
             plan.n * plan.c *
             (plan.pooled.count() * (size + size_of(plan.index_type)) + plan.unpooled.count() * size)) &&
         reinterpret_cast<std::uintptr_t>(plan.out.data) % static_cast<std::uintptr_t>(size) == 0;
}

template <template <typename> class Window, bool kImages = false>
std::optional<IndexFault> scatter(const Plan& plan, Workers& workers, std::int64_t channels = 1) {
  if (plan.n * plan.c * plan.unpooled.count() == 0) return std::nullopt;
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return Scatter<Element, Index, Window, kImages>(plan, channels).run(workers);
  });
}

// For windows that count on cells side by side.
template <template <typename> class Window>
std::optional<IndexFault> scatter_contiguous(const Plan& plan, Workers& workers) {
  if (why_not_planes(plan) == nullptr) return scatter<Window>(plan, workers);
  return scatter<Window, true>(images_of(plan), workers, plan.c);
}

}  // namespace cairn::max_unpool
