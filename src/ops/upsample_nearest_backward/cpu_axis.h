#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace cairn::upsample_nearest_backward {

struct Range {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t count() const { return end - begin; }
};

// Which positions of gradOut belong to which cell of gradInput, along one axis.
struct Axis {
  std::int64_t in;
  std::int64_t out;
  float scale;

  // min(ceil(float(cell) * scale), out), for products up to infinity.
  std::int64_t low(std::int64_t cell) const {
    const float start = static_cast<float>(cell) * scale;
    if (!(start < 0x1p62F)) return out;
    auto whole = static_cast<std::int64_t>(start);
    if (static_cast<float>(whole) < start) ++whole;
    return std::min(whole, out);
  }
  Range box(std::int64_t cell) const { return {low(cell), low(cell + 1)}; }

  // No cell has more positions than this.
  std::int64_t most() const {
    constexpr float kExactInFloat = 0x1p24F;
    return static_cast<float>(in) * scale < kExactInFloat ? static_cast<std::int64_t>(scale) + 2 : out;
  }

  bool is_trivial() const { return in == 1 && out == 1; }

  // How many of the first cells have exactly the `factor` positions that start at cell * factor.
  std::int64_t regular_cells(std::int64_t factor) const {
    constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
    if (scale != static_cast<float>(factor) || in * factor > kExactInFloat) return 0;
    return std::min(in, out / factor);
  }
};

// low() of a stretch of cells, tabulated: a row of cells is met thousands of times.
class LowTable {
 public:
  static constexpr std::int64_t kCells = 4096;
  static constexpr std::int64_t kPadding = 64;

  bool holds(Range cells) const { return first_ <= cells.begin && cells.end <= first_ + count_; }

  // From `first` as far as the table reaches; vectors of `lanes` cells will be read.
  void fill(const Axis& axis, std::int64_t first, std::int64_t lanes) {
    first_ = first;
    count_ = std::min(axis.in - first, kCells);
    base_ = axis.low(first);
    taps_ = span_ = 0;
    for (std::int64_t i = 0; i <= count_ + kPadding; ++i) {
      const std::int64_t low = axis.low(std::min(first + i, axis.in)) - base_;
      if (low > INT32_MAX / 2) {
        span_ = INT32_MAX;  // cells this long are not worth a vector
        return;
      }
      lows_[i] = static_cast<std::int32_t>(low);
      if (i > 0) taps_ = std::max(taps_, lows_[i] - lows_[i - 1]);
      span_ = std::max(span_, lows_[i] - lows_[std::max<std::int64_t>(i - lanes, 0)]);
    }
  }

  // cell's low() less base(), followed by those of the next cells.
  const std::int32_t* at(std::int64_t cell) const { return lows_.data() + (cell - first_); }
  std::int64_t base() const { return base_; }
  std::int32_t taps() const { return taps_; }  // of the cell that has most
  std::int32_t span() const {
    return span_;
  }  // of the `lanes` neighbours that have most; if vast, lows are not known
  bool is_known() const { return span_ != INT32_MAX; }

 private:
  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::int64_t base_ = 0;
  std::int32_t taps_ = 0;
  std::int32_t span_ = 0;
  std::array<std::int32_t, kCells + kPadding + 1> lows_;
};

}  // namespace cairn::upsample_nearest_backward
