#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

struct Piece {
  Span cells;      // of out
  Span looked_at;  // elements of self whose index may well be one of these cells
  Span own;        // those it answers for: that the piece with their cell looks at them
};

// A plane cut for several workers when there are fewer planes than those want, across its outermost axis. An
// index is expected about where the pooling had its window.
class Pieces {
 public:
  Pieces(const Plan& plan, std::int64_t workers)
      : pooled_count_(plan.pooled.count()), unpooled_count_(plan.unpooled.count()) {
    const Size3& in = plan.pooled;
    const Size3& out = plan.unpooled;
    out_ = out.d > 1 ? out.d : out.h > 1 ? out.h : out.w;
    in_ = out.d > 1 ? in.d : out.h > 1 ? in.d * in.h : pooled_count_;
    if (pooled_count_ == 0 || workers <= 1) return;
    // Windows that halved the plane, or more, reach one neighbour's cells; others lie closer together.
    const std::int64_t least = 2 * in_ <= out_ ? 1 : 3;
    constexpr std::int64_t kMarginElements = 256;
    margin_ = std::max(least, kMarginElements * in_ / pooled_count_);
    // Elements in the margins are looked at twice: more pieces than workers only where those are few.
    constexpr std::int64_t kPiecesPerWorker = 4;
    const std::int64_t planes = plan.n * plan.c;
    const std::int64_t one_each = (workers + planes - 1) / planes;
    const std::int64_t several_each = (workers * kPiecesPerWorker + planes - 1) / planes;
    const std::int64_t wanted = std::min(several_each, std::max(one_each, in_ / (4 * margin_)));
    count_ = std::clamp<std::int64_t>(wanted, 1, most());
  }

  std::int64_t count() const { return count_; }

  // Pieces of a plane that are worth a worker each.
  std::int64_t most() const {
    constexpr std::int64_t kSmallest = std::int64_t{1} << 15;
    return std::max<std::int64_t>(std::min(unpooled_count_ / kSmallest, out_), 1);
  }

  // Whether an element and its cell lie about as far into their planes.
  bool has_many_slices() const { return in_ >= 16; }

  // Cells between the first and the last that neighbouring windows reach.
  std::int64_t cells_in_use(std::int64_t element_size) const {
    constexpr std::int64_t kCheap = 128 << 10;
    constexpr std::int64_t kMore = 4096;
    const std::int64_t slice = unpooled_count_ / out_;
    const std::int64_t many = 5 * slice;
    return std::min((many * element_size <= kCheap ? many : 5 * slice / 2) + kMore, unpooled_count_ + kMore);
  }

  // The piece that has a cell.
  std::int64_t with_cell(std::int64_t cell) const {
    return ((cell / (unpooled_count_ / out_) + 1) * count_ - 1) / out_;
  }

  Piece operator[](std::int64_t i) const {
    if (count_ == 1) return {{0, unpooled_count_}, {0, pooled_count_}, {0, pooled_count_}};
    const std::int64_t first = i * out_ / count_;
    const std::int64_t last = (i + 1) * out_ / count_;
    const std::int64_t own_first = first * in_ / out_;
    const std::int64_t own_last = last * in_ / out_;
    const auto elements = [&](std::int64_t begin, std::int64_t end) -> Span {
      return {std::max<std::int64_t>(begin, 0) * (pooled_count_ / in_),
              std::min(end, in_) * (pooled_count_ / in_)};
    };
    return {{first * (unpooled_count_ / out_), last * (unpooled_count_ / out_)},
            elements(own_first - margin_, own_last + margin_),
            elements(own_first, own_last)};
  }

 private:
  std::int64_t pooled_count_;
  std::int64_t unpooled_count_;
  // Slices, and so many of self that are looked at beyond a piece's own on either side.
  std::int64_t out_;
  std::int64_t in_;
  std::int64_t margin_ = 0;
  std::int64_t count_ = 1;
};

}  // namespace cairn::max_unpool
