#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/kit/scale_axis.h"
#include "ops/kit/span.h"

namespace cairn::upsample_nearest_backward {

// What a stretch of cells reads, as indices into short windows of a line: a row of cells is met thousands of
// times.
class WindowTable {
 public:
  static constexpr std::int64_t kCells = 4096;
  static constexpr std::int64_t kMostVectors = 8;

  bool holds(Span cells) const { return first_ <= cells.begin && cells.end <= first_ + count_; }

  // From `first` as far as the table reaches. Each `lanes` cells, counted from `first`, share a window.
  void fill(const ScaleAxis& axis, std::int64_t first, std::int64_t lanes) {
    first_ = first;
    count_ = std::min(axis.in - first, kCells);
    lanes_ = lanes;
    std::int64_t span = 1;
    taps_ = 0;
    for (std::int64_t i = 0; i < count_; i += lanes) {
      span = std::max(span, axis.low(last_cell(axis, i)) - axis.low(first + i));
    }
    vectors_ = (span + lanes - 1) / lanes;
    if (vectors_ > kMostVectors || vectors_ * lanes > axis.out) vectors_ = 0;
    if (vectors_ == 0) return;
    for (std::int64_t i = 0; i < count_; i += lanes) {
      // A window that would reach past the line is moved back.
      const std::int64_t window = std::min(axis.low(first + i), axis.out - vectors_ * lanes);
      windows_[i / lanes] = window;
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const Span box = axis.box(std::min(first + i + lane, last_cell(axis, i)));
        const bool is_cell = first + i + lane < axis.in;
        lows_[i + lane] = is_cell ? static_cast<std::int32_t>(box.begin - window) : 0;
        highs_[i + lane] = is_cell ? static_cast<std::int32_t>(box.end - window) : 0;
        short_lows_[i + lane] = static_cast<std::int16_t>(lows_[i + lane]);
        short_highs_[i + lane] = static_cast<std::int16_t>(highs_[i + lane]);
        if (is_cell) taps_ = std::max(taps_, static_cast<std::int32_t>(box.size()));
      }
    }
  }

  // The length of a window in vectors of `lanes`; 0 if the cells read too far apart, or the line is too
  // short.
  std::int64_t vectors() const { return vectors_; }
  std::int32_t taps() const { return taps_; }  // of the cell that has most
  // Of `cell`, which begins a window, and what follows.
  const std::int64_t* windows(std::int64_t cell) const { return windows_.data() + (cell - first_) / lanes_; }
  const std::int32_t* lows(std::int64_t cell) const { return lows_.data() + (cell - first_); }
  const std::int32_t* highs(std::int64_t cell) const { return highs_.data() + (cell - first_); }
  // The same, for shuffles of elements of two bytes.
  const std::int16_t* short_lows(std::int64_t cell) const { return short_lows_.data() + (cell - first_); }
  const std::int16_t* short_highs(std::int64_t cell) const { return short_highs_.data() + (cell - first_); }

 private:
  std::int64_t last_cell(const ScaleAxis& axis, std::int64_t i) const {
    return std::min(first_ + i + lanes_, axis.in);
  }

  std::int64_t first_ = 0;
  std::int64_t count_ = 0;
  std::int64_t lanes_ = 1;
  std::int64_t vectors_ = 0;
  std::int32_t taps_ = 0;
  std::array<std::int64_t, kCells / 2> windows_;  // a vector has two lanes at least
  std::array<std::int32_t, kCells> lows_;
  std::array<std::int32_t, kCells> highs_;
  std::array<std::int16_t, kCells> short_lows_;
  std::array<std::int16_t, kCells> short_highs_;
};

}  // namespace cairn::upsample_nearest_backward
