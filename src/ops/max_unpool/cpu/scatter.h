#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backend/kernel.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/span.h"
#include "ops/max_unpool/cpu/pieces.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// Some cells of one plane of out, zero where nothing is put.
template <typename Element>
struct Cells {
  Element* out;  // cell 0 of the plane
  Span range;
};

// Puts the elements of self into cells that a Window holds. Element is any type of the right size: bits are
// copied, never interpreted.
template <typename Element, typename Index, template <typename> class Window>
class Scatter {
 public:
  explicit Scatter(const Plan& plan)
      : plan_(plan), pooled_count_(plan.pooled.count()), unpooled_count_(plan.unpooled.count()) {
    const MergedPlane self = merge_plane(plan.pooled, plan.self);
    const MergedPlane indices = merge_plane(plan.pooled, plan.indices);
    if (self.is_one_run() && indices.is_one_run()) {
      rows_ = {1, 1, pooled_count_};
      self_stride_ = self.stride_w;
      index_stride_ = indices.stride_w;
    } else {
      rows_ = plan.pooled;
      self_stride_ = plan.self.w;
      index_stride_ = plan.indices.w;
    }
  }

  std::optional<IndexFault> run(Workers& workers) const {
    const Pieces pieces(plan_, workers.count());
    const std::int64_t planes = plan_.n * plan_.c;
    const auto accounted = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(planes));
    FirstFault first;
    run_pieces(workers, planes * pieces.count(), pieces, [&](Window<Element>& window, std::int64_t i) {
      const std::int64_t plane = i / pieces.count();
      const Outcome outcome = fill(window, plane, pieces[i % pieces.count()]);
      accounted[static_cast<std::size_t>(plane)].fetch_add(outcome.accounted, std::memory_order_relaxed);
      first.note(outcome.fault);
    });
    if (pieces.count() == 1) return first.get();

    // A plane with a stray index, one that no piece met where it was expected, is repaired.
    std::vector<std::int64_t> repaired;
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      if (accounted[static_cast<std::size_t>(plane)].load(std::memory_order_relaxed) != pooled_count_)
        repaired.push_back(plane);
    }
    run_pieces(workers, static_cast<std::int64_t>(repaired.size()) * pieces.count(), pieces,
               [&](Window<Element>& window, std::int64_t i) {
                 Piece piece = pieces[i % pieces.count()];
                 piece.looked_at = {0, pooled_count_};
                 fill(window, repaired[static_cast<std::size_t>(i / pieces.count())], piece);
               });
    return first.get();
  }

 private:
  struct Outcome {
    std::int64_t accounted = 0;  // elements placed, and own elements that are not to be placed
    std::optional<IndexFault> fault;
  };

  template <typename Body>
  void run_pieces(Workers& workers, std::int64_t total, const Pieces& pieces, const Body& body) const {
    constexpr std::int64_t kGrain = 16384;
    const std::int64_t reach = pieces.cells_in_use(static_cast<std::int64_t>(sizeof(Element)));
    for_each_range(workers, total, std::max<std::int64_t>(kGrain * pieces.count() / unpooled_count_, 1), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     const OfThread<typename Window<Element>::Memory> memory;
                     Window<Element> window(plan_, reach, *memory);
                     for (std::int64_t i = begin; i < end; ++i) body(window, i);
                   });
  }

  Outcome fill(Window<Element>& window, std::int64_t plane, const Piece& piece) const {
    Outcome outcome;
    const std::int64_t n = plane / plan_.c;
    const std::int64_t c = plane % plan_.c;
    window.start({static_cast<Element*>(plan_.out.data) + n * plan_.out.n + c * plan_.out.c, piece.cells});
    const auto* self = static_cast<const Element*>(plan_.self.data) + n * plan_.self.n + c * plan_.self.c;
    const auto* indices =
        static_cast<const Index*>(plan_.indices.data) + n * plan_.indices.n + c * plan_.indices.c;
    std::int64_t i = piece.looked_at.begin;
    std::int64_t w = i % std::max<std::int64_t>(rows_.w, 1);
    std::int64_t h = i / std::max<std::int64_t>(rows_.w, 1) % std::max<std::int64_t>(rows_.h, 1);
    std::int64_t d = i / std::max<std::int64_t>(rows_.w * rows_.h, 1);
    while (i < piece.looked_at.end) {
      const Run run{self + d * plan_.self.d + h * plan_.self.h + w * self_stride_,
                    indices + d * plan_.indices.d + h * plan_.indices.h + w * index_stride_, i,
                    std::min(rows_.w - w, piece.looked_at.end - i)};
      put(window, run, plane, piece, outcome);
      i += run.count;
      w = 0;
      if (++h == rows_.h) h = 0, ++d;
    }
    window.finish();
    return outcome;
  }

  struct Run {
    const Element* self;
    const Index* indices;
    std::int64_t first;  // its flat position in the plane
    std::int64_t count;
  };

  void put(Window<Element>& window, const Run& run, std::int64_t plane, const Piece& piece,
           Outcome& outcome) const {
    constexpr std::int64_t kTogether = 8;
    constexpr std::int64_t kAhead = 256;
    // Copies: a store to a slot may otherwise change anything the compiler would like to keep in registers.
    const Window<Element> slots = window;
    const Element* HWY_RESTRICT self = run.self;
    const Index* HWY_RESTRICT indices = run.indices;
    Element* HWY_RESTRICT to = window.slots();
    const std::int64_t self_stride = self_stride_;
    const std::int64_t index_stride = index_stride_;
    const std::int64_t count = run.count;
    auto base = static_cast<std::uint64_t>(window.base());
    auto span = static_cast<std::uint64_t>(window.span());
    outcome.accounted += count;
    for (std::int64_t i = 0; i < count; i += kTogether) {
      const std::int64_t end = std::min(i + kTogether, count);
      const bool whole = end - i == kTogether;
      // The processor stops reading ahead while cells are handed to memory.
      __builtin_prefetch(indices + std::min(i + kAhead, count - 1) * index_stride);
      std::uint64_t away = 0;
      for (std::int64_t j = i; j < i + kTogether && whole; ++j) {
        const std::int64_t index = indices[j * index_stride];
        away |= static_cast<std::uint64_t>(static_cast<std::uint64_t>(index) - base >= span);
      }
      if (whole && away == 0) [[likely]] {
        for (std::int64_t j = i; j < i + kTogether; ++j) {
          const std::int64_t index = indices[j * index_stride];
          to[slots.slot(static_cast<std::uint64_t>(index))] = self[j * self_stride];
        }
        continue;
      }
      for (std::int64_t j = i; j < end; ++j) {
        put_one(window, indices[j * index_stride], self[j * self_stride], run.first + j, plane, piece,
                outcome);
      }
      base = static_cast<std::uint64_t>(window.base());
      span = static_cast<std::uint64_t>(window.span());
    }
  }

  HWY_NOINLINE void put_one(Window<Element>& window, std::int64_t index, Element value, std::int64_t position,
                            std::int64_t plane, const Piece& piece, Outcome& outcome) const {
    const auto cell = static_cast<std::uint64_t>(index);
    if (cell - static_cast<std::uint64_t>(window.base()) < static_cast<std::uint64_t>(window.span())) {
      window.slots()[window.slot(cell)] = value;
    } else if (cell < static_cast<std::uint64_t>(unpooled_count_)) {
      if (!piece.cells.has(index)) --outcome.accounted;
      window.put_elsewhere(index, value);
    } else {
      if (!piece.own.has(position)) --outcome.accounted;
      if (index != -1 && !outcome.fault)
        outcome.fault = IndexFault{plane * pooled_count_ + position, index, unpooled_count_};
    }
  }

  const Plan& plan_;
  const std::int64_t pooled_count_;
  const std::int64_t unpooled_count_;
  Size3 rows_;  // self's and indices' runs: the whole plane if both are dense
  std::int64_t self_stride_;
  std::int64_t index_stride_;
};

// What speaks against windows that count on cells side by side.
inline const char* why_not_contiguous(const Plan& plan) {
  return is_dense(plan.out, plan.n, plan.c, plan.unpooled) ? nullptr : "out has gaps";
}

template <template <typename> class Window>
std::optional<IndexFault> scatter(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.unpooled.count() == 0) return std::nullopt;
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return Scatter<Element, Index, Window>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool
