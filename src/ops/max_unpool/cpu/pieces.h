#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

struct Piece {
  Span cells;      // of out
  Span looked_at;  // elements of self whose index may well be one of these cells
  Span own;        // those it answers for when they are to be placed nowhere
};

// A plane cut for several workers when there are fewer planes than those want. An index is expected about
// where the pooling had its window; that each was met is to be counted.
class Pieces {
 public:
  Pieces(const Plan& plan, std::int64_t workers)
      : pooled_count_(plan.pooled.count()),
        unpooled_count_(plan.unpooled.count()),
        slice_(plan.unpooled.d > 1 ? plan.unpooled.h * plan.unpooled.w : plan.unpooled.w) {
    constexpr std::int64_t kPiecesPerWorker = 4;
    constexpr std::int64_t kSmallestPiece = std::int64_t{1} << 15;
    const bool by_slices = plan.unpooled.d > 1;
    if (pooled_count_ == 0 || (!by_slices && plan.pooled.d > 1)) return;
    out_ = by_slices ? plan.unpooled.d : plan.unpooled.h;
    in_ = by_slices ? plan.pooled.d : plan.pooled.h;
    const std::int64_t planes = plan.n * plan.c;
    const std::int64_t wanted = workers > 1 ? (workers * kPiecesPerWorker + planes - 1) / planes : 1;
    const std::int64_t most = std::min(unpooled_count_ / kSmallestPiece, out_);
    count_ = std::max<std::int64_t>(std::min(wanted, most), 1);
  }

  std::int64_t count() const { return count_; }

  // Cells between the first and the last that neighbouring windows reach.
  std::int64_t cells_in_use(std::int64_t element_size) const {
    constexpr std::int64_t kCheap = 128 << 10;
    constexpr std::int64_t kMargin = 4096;
    const std::int64_t many = 5 * slice_;
    return std::min((many * element_size <= kCheap ? many : 5 * slice_ / 2) + kMargin,
                    unpooled_count_ + kMargin);
  }

  Piece operator[](std::int64_t i) const {
    if (count_ == 1) return {{0, unpooled_count_}, {0, pooled_count_}, {0, pooled_count_}};
    constexpr std::int64_t kMargin = 3;
    const std::int64_t first = i * out_ / count_;
    const std::int64_t last = (i + 1) * out_ / count_;
    const std::int64_t own_first = first * in_ / out_;
    const std::int64_t own_last = last * in_ / out_;
    const auto elements = [&](std::int64_t begin, std::int64_t end) -> Span {
      return {std::max<std::int64_t>(begin, 0) * (pooled_count_ / in_),
              std::min(end, in_) * (pooled_count_ / in_)};
    };
    return {{first * (unpooled_count_ / out_), last * (unpooled_count_ / out_)},
            elements(own_first - kMargin, own_last + kMargin),
            elements(own_first, own_last)};
  }

 private:
  std::int64_t pooled_count_;
  std::int64_t unpooled_count_;
  std::int64_t slice_;  // cells; those next to each other in D, or in H if there is no D
  std::int64_t out_ = 1;
  std::int64_t in_ = 1;
  std::int64_t count_ = 1;
};

}  // namespace cairn::max_unpool
