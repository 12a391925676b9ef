#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ops/kit/span.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Windows that are computed together: of some channels that lie side by side (or one), along a stretch of W,
// in a few rows of H and one slice of D.
struct Block {
  std::int64_t batch;  // the same for blocks that differ in d alone
  std::int64_t n;
  std::int64_t c;
  std::int64_t channels;
  std::int64_t d;
  Span rows;     // along H
  Span windows;  // along W

  std::int64_t row_length() const { return windows.size() * channels; }
  std::int64_t count() const { return rows.size() * row_length(); }
};

// Where the block's first channel has its plane of `view`.
template <typename E>
E* plane_of(const View5& view, const Block& block) {
  return static_cast<E*>(view.data) + block.n * view.n + block.c * view.c;
}

// What a method wants of its blocks.
struct BlockLimits {
  static constexpr std::int64_t kMostElements = 4096;

  std::int64_t channels = 1;
  std::int64_t windows = 1024;   // along W
  std::int64_t elements = 1024;  // windows times channels; a few rows keep reading and writing apart least
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  bool slices_first = false;  // neighbours along D follow each other, so that what they share is still there

  // The most windows along W that a block will have.
  std::int64_t stretch(const Plan& plan) const {
    const std::int64_t stretches = (plan.out.w + windows - 1) / windows;
    return (plan.out.w + stretches - 1) / stretches;
  }
};

// How a call with any windows is cut into blocks.
class Blocks {
 public:
  Blocks(const Plan& plan, const BlockLimits& limits, std::int64_t workers)
      : out_(plan.out),
        c_(plan.c),
        channels_(limits.channels),
        groups_per_image_((plan.c + channels_ - 1) / channels_),
        groups_(plan.n * groups_per_image_),
        windows_(limits.stretch(plan)),
        stretches_((plan.out.w + limits.windows - 1) / limits.windows),
        least_windows_(plan.out.w / stretches_),
        longer_stretches_(plan.out.w % stretches_),
        slices_first_(limits.slices_first) {
    constexpr std::int64_t kBlocksPerWorker = 4;
    const std::int64_t most =
        groups_ * stretches_ * plan.out.h * plan.out.d / (workers * kBlocksPerWorker) + 1;
    const std::int64_t fitting = std::max<std::int64_t>(limits.elements / (windows_ * channels_), 1);
    const std::int64_t rows = std::min({fitting, most, limits.rows, plan.out.h});
    batches_ = (plan.out.h + rows - 1) / rows;
    rows_ = (plan.out.h + batches_ - 1) / batches_;
  }

  std::int64_t count() const { return groups_ * stretches_ * batches_ * out_.d; }
  // Of one block, at most.
  std::int64_t rows() const { return rows_; }
  std::int64_t elements() const { return rows_ * windows_ * channels_; }

  // In the order in which they lie in memory, or with D before H.
  Block operator[](std::int64_t i) const {
    const std::int64_t in_plane = i % (batches_ * out_.d);
    const std::int64_t stretch_of_group = i / (batches_ * out_.d);
    const std::int64_t batch = slices_first_ ? in_plane / out_.d : in_plane % batches_;
    const std::int64_t stretch = stretch_of_group % stretches_;
    const std::int64_t group = stretch_of_group / stretches_;
    const std::int64_t c = group % groups_per_image_ * channels_;
    return {.batch = stretch_of_group * batches_ + batch,
            .n = group / groups_per_image_,
            .c = c,
            .channels = std::min(channels_, c_ - c),
            .d = slices_first_ ? in_plane % out_.d : in_plane / batches_,
            .rows = {batch * rows_, std::min((batch + 1) * rows_, out_.h)},
            .windows = {stretch_begin(stretch), stretch_begin(stretch + 1)}};
  }

 private:
  // Even lengths, since the last stretch must not be shorter than a vector.
  std::int64_t stretch_begin(std::int64_t stretch) const {
    return stretch * least_windows_ + std::min(stretch, longer_stretches_);
  }

  Size3 out_;
  std::int64_t c_;
  std::int64_t channels_;
  std::int64_t groups_per_image_;
  std::int64_t groups_;  // of channels, over all of N and C
  std::int64_t windows_;
  std::int64_t stretches_;  // along W, none longer than another by more than one window
  std::int64_t least_windows_;
  std::int64_t longer_stretches_;  // by one window; they come first
  bool slices_first_;
  std::int64_t batches_ = 1;  // of rows
  std::int64_t rows_ = 1;
};

// What speaks against every method that works in blocks.
inline const char* why_no_blocks(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  if (plan.index_type == DataType::kInt8) return "indices are a mask of ones";
  if (!is_aligned(plan.indices, size_of(plan.index_type))) return "indices begin at an odd byte";
  if (plan.n * plan.c * plan.out.count() == 0) return "there are no windows";
  if (plan.in.count() > std::numeric_limits<std::int32_t>::max()) return "positions need more than 32 bits";
  return nullptr;
}

}  // namespace cairn::max_pool
