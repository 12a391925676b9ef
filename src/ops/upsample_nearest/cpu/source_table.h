#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/kit/scale_axis.h"

namespace cairn::upsample_nearest {

// What a stretch of a line takes, looked up once for the thousands of lines that are alike.
class SourceTable {
 public:
  static constexpr std::int64_t kMost = 4096;

  // `lanes` positions at a time, counted from `first`, share a window of as many cells if that is possible.
  // 0: all that is asked for later are first_cell() and count().
  void fill(const ScaleAxis& axis, std::int64_t first, std::int64_t count, std::int64_t lanes) {
    first_cell_ = axis.source(first);
    count_ = count;
    cells_ = axis.in - first_cell_;
    has_windows_ = lanes > 1 && cells_ >= lanes;
    for (std::int64_t begin = 0; begin < count && lanes > 0; begin += lanes) {
      const std::int64_t end = std::min(begin + lanes, count);
      const std::int64_t window = std::min(axis.source(first + begin) - first_cell_, cells_ - lanes);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t cell = axis.source(first + i) - first_cell_;
        sources_[i] = cell;
        has_windows_ = has_windows_ && cell - window < lanes;
        places_[i] = static_cast<std::int32_t>(cell - window);
      }
      for (std::int64_t i = end; i < begin + lanes; ++i) places_[i] = 0;
    }
  }

  std::int64_t first_cell() const { return first_cell_; }
  std::int64_t count() const { return count_; }
  // Counted from first_cell().
  std::int64_t source(std::int64_t i) const { return sources_[i]; }
  bool has_windows() const { return has_windows_; }
  // Where the window of `i`, which begins one, lies, and what its positions take of it.
  std::int64_t window(std::int64_t i, std::int64_t lanes) const {
    return std::min(sources_[i], cells_ - lanes);
  }
  const std::int32_t* places(std::int64_t i) const { return places_.data() + i; }

 private:
  static constexpr std::int64_t kMostLanes = 64;

  bool has_windows_ = false;
  std::int64_t first_cell_ = 0;
  std::int64_t count_ = 0;
  std::int64_t cells_ = 0;  // from first_cell_ to the end of the line
  std::array<std::int64_t, kMost> sources_;
  std::array<std::int32_t, kMost + kMostLanes> places_;
};

}  // namespace cairn::upsample_nearest
