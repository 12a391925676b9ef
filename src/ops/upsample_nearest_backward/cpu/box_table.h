#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/kit/scale_axis.h"
#include "ops/kit/span.h"

namespace cairn::upsample_nearest_backward {

// Where the positions of some cells of a row lie in a line, looked up once for all the rows that are alike.
template <std::int64_t kMost>
class BoxTable {
 public:
  // Makes it hold these cells of lines whose elements lie `stride` apart; false if they lie too far apart.
  bool holds(const ScaleAxis& axis, std::int64_t stride, Span cells) {
    if (cells == cells_) return fits_;
    cells_ = cells;
    const std::int64_t begin = axis.low(cells.begin);
    const std::int64_t end = axis.low(cells.end);
    first_ = begin * stride;
    fits_ = (end - begin) * std::max(stride, -stride) < INT32_MAX;
    most_ = 0;
    std::int64_t low = begin;
    for (std::int64_t i = 0; i < cells.size() && fits_; ++i) {
      const std::int64_t high = axis.low(cells.begin + i + 1);
      // An empty box may begin where the line ends.
      offsets_[i] = static_cast<std::int32_t>(low < high ? (low - begin) * stride : 0);
      sizes_[i] = static_cast<std::int32_t>(high - low);
      most_ = std::max(most_, sizes_[i]);
      low = high;
    }
    for (std::int64_t i = cells.size(); i < std::min(cells.size() + kMostLanes, kMost); ++i)
      offsets_[i] = sizes_[i] = 0;
    return fits_;
  }

  std::int64_t first() const { return first_; }  // position of all
  std::int32_t most() const { return most_; }    // positions of a cell
  // Elements from the first position; what follows the cells may be read as empty boxes.
  const std::int32_t* offsets() const { return offsets_.data(); }
  const std::int32_t* sizes() const { return sizes_.data(); }

 private:
  static constexpr std::int64_t kMostLanes = 64;

  Span cells_;
  bool fits_ = false;
  std::int64_t first_ = 0;
  std::int32_t most_ = 0;
  std::array<std::int32_t, kMost> offsets_;
  std::array<std::int32_t, kMost> sizes_;
};

}  // namespace cairn::upsample_nearest_backward
