#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace cairn::upsample_nearest {

// Which cell of self each position of values takes, along one axis.
struct Axis {
  std::int64_t in;
  std::int64_t out;
  float scale;

  // min(floor(float(position) * scale), in - 1), for products up to infinity.
  std::int64_t source(std::int64_t position) const {
    const float place = static_cast<float>(position) * scale;
    if (!(place < 0x1p62F)) return in - 1;
    return std::min(static_cast<std::int64_t>(place), in - 1);
  }

  bool is_trivial() const { return in == 1 && out == 1; }
};

// What a stretch of a line takes, looked up once for the thousands of lines that are alike.
class SourceTable {
 public:
  static constexpr std::int64_t kMost = 4096;
  enum class Pattern { kSame, kPairs, kWindows, kAny };

  // `lanes` positions at a time, counted from `first`, share a window of as many cells if that is possible.
  void fill(const Axis& axis, std::int64_t first, std::int64_t count, std::int64_t lanes) {
    first_cell_ = axis.source(first);
    count_ = count;
    cells_ = axis.in - first_cell_;
    bool same = true;
    bool pairs = count % 2 == 0;
    bool windows = lanes > 1 && cells_ >= lanes;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t cell = axis.source(first + i) - first_cell_;
      sources_[i] = cell;
      same = same && cell == i;
      pairs = pairs && cell == i / 2;
      const std::int64_t window = std::min(sources_[i / lanes * lanes], cells_ - lanes);
      windows = windows && cell - window < lanes;
      places_[i] = static_cast<std::int32_t>(cell - window);
    }
    for (std::int64_t i = count; i < (count + lanes - 1) / lanes * lanes; ++i) places_[i] = 0;
    pattern_ = same ? Pattern::kSame : pairs ? Pattern::kPairs : windows ? Pattern::kWindows : Pattern::kAny;
  }

  Pattern pattern() const { return pattern_; }
  std::int64_t first_cell() const { return first_cell_; }
  std::int64_t count() const { return count_; }
  // Counted from first_cell().
  std::int64_t source(std::int64_t i) const { return sources_[i]; }
  // Where the window of `i`, which begins one, lies, and what its positions take of it.
  std::int64_t window(std::int64_t i, std::int64_t lanes) const {
    return std::min(sources_[i], cells_ - lanes);
  }
  const std::int32_t* places(std::int64_t i) const { return places_.data() + i; }

 private:
  static constexpr std::int64_t kMostLanes = 64;

  Pattern pattern_ = Pattern::kAny;
  std::int64_t first_cell_ = 0;
  std::int64_t count_ = 0;
  std::int64_t cells_ = 0;  // from first_cell_ to the end of the line
  std::array<std::int64_t, kMost> sources_;
  std::array<std::int32_t, kMost + kMostLanes> places_;
};

}  // namespace cairn::upsample_nearest
