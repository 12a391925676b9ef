#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/plane_row.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_divisor.h"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::mean_pool_backward {

constexpr std::int64_t most_terms(const Plan& p) {
  return p.d.most_windows() * p.h.most_windows() * p.w.most_windows();
}

constexpr std::int64_t bytes_touched(const Plan& p) {
  const std::int64_t cells = p.d.in * p.h.in * p.w.in;
  const std::int64_t windows = p.d.out * p.h.out * p.w.out;
  return p.n * p.c * (cells + windows) * static_cast<std::int64_t>(size_of(p.type));
}

// A row of cells. Where channels lie side by side a plane has them all: `channels` is 1.
struct RowPlace : PlaneRow {
  RowPlace(const Plan& p, std::int64_t row, std::int64_t channels) : PlaneRow(counts(p, channels), row) {}
  void step(const Plan& p, std::int64_t channels, std::int64_t rows = 1) {
    PlaneRow::step(counts(p, channels), rows);
  }

  template <typename T>
  T* grad_input(const Plan& p) const {
    return row_of<T>(p.grad_input);
  }

 private:
  static Counts counts(const Plan& p, std::int64_t channels) { return {channels, p.d.in, p.h.in}; }
};

// The first window of row (d, h) of a plane.
template <typename T>
const T* first_window(const Plan& p, const RowPlace& at, std::int64_t d, std::int64_t h) {
  return at.plane_of<T>(p.grad_output) + d * p.grad_output.d + h * p.grad_output.h;
}

// What an axis says of each cell and each window, looked up instead of divided for. Of long axes there is no
// table: it would be larger than what is worth keeping.
class AxisTable {
 public:
  explicit AxisTable(const MeanAxis& axis) : axis_(axis), kinds_(axis.in) {
    constexpr std::int64_t kMost = std::int64_t{1} << 14;
    if (axis.in > kMost || axis.out > kMost) return;
    kinds_ = 0;
    for (std::int64_t cell = 0; cell < axis.in; ++cell) {
      windows_.push_back(axis.windows(cell));
      if (cell == 0 || windows_[at(cell)] != windows_[at(cell - 1)]) ++kinds_;
      kind_.push_back(kinds_ - 1);
    }
    for (std::int64_t window = 0; window < axis.out; ++window) cells_.push_back(axis.cells(window));
  }

  [[gnu::always_inline]] Span windows(std::int64_t cell) const {
    return windows_.empty() ? axis_.windows(cell) : windows_[at(cell)];
  }
  Span cells(std::int64_t window) const { return cells_.empty() ? axis_.cells(window) : cells_[at(window)]; }

  // Neighbours with the same windows are of one kind, where there is a table.
  std::int64_t kind(std::int64_t cell) const { return kind_.empty() ? cell : kind_[at(cell)]; }
  std::int64_t kinds() const { return kinds_; }

 private:
  static constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  const MeanAxis& axis_;
  std::int64_t kinds_;
  std::vector<Span> windows_, cells_;
  std::vector<std::int64_t> kind_;
};
struct AxisTables {
  explicit AxisTables(const Plan& p) : d(p.d), h(p.h), w(p.w) {}

  AxisTable d, h, w;
};

// Rows of cells that lie in the same windows are made once, where many do.
inline bool repeats_rows(const Plan& p, const AxisTables& axes) {
  return most_terms(p) <= 1 || 3 * axes.d.kinds() * axes.h.kinds() < 2 * p.d.in * p.h.in;
}

// How many elements are worth keeping: those that stay in the cache, and few beside the work.
constexpr std::int64_t most_kept(const Plan& p) {
  return std::min(std::int64_t{1} << 16, p.n * p.c * p.d.in * p.h.in * p.w.in / 64);
}

// Rows of windows that a row of cells needs, made once and kept while the next rows of cells need them too.
template <typename Element>
class KeptRows {
 public:
  // So many along D and H are needed at a time; all along H are kept where they are few, so that the next
  // slice of cells finds them.
  KeptRows(const Plan& p, std::int64_t row_elements)
      : along_d_(std::max<std::int64_t>(p.d.most_windows(), 1)),
        along_h_(std::max<std::int64_t>(p.h.most_windows(), 1)),
        length_(row_elements) {
    if (p.d.in > 1 && along_d_ * p.h.out * length_ <= most_kept(p)) along_h_ = std::max(along_h_, p.h.out);
    along_d_ = power_of_two(along_d_), along_h_ = power_of_two(along_h_);
    slices_.assign(static_cast<std::size_t>(along_d_), Slice{});
    grow(rows_, along_d_ * along_h_ * length_);
  }

  // The rows of some windows of a plane, in order, from element `first` on; make(d, h, row) makes those that
  // are not there. Returns how many they are.
  template <typename Make>
  [[gnu::always_inline]] std::int64_t find(std::int64_t plane, const Span& of_d, const Span& of_h,
                                           std::int64_t first, const Element** to, const Make& make) {
    std::int64_t count = 0;
    for (std::int64_t d = of_d.begin; d < of_d.end; ++d) {
      const std::int64_t slot = d & (along_d_ - 1);
      Slice& slice = slices_[static_cast<std::size_t>(slot)];
      Element* const rows = rows_.data() + slot * along_h_ * length_;
      const auto row = [&](std::int64_t h) { return rows + (h & (along_h_ - 1)) * length_; };
      if (slice.plane != plane || slice.d != d || of_h.begin < slice.made.begin ||
          of_h.begin > slice.made.end)
        slice = {plane, d, {of_h.begin, of_h.begin}};
      if (slice.made.end < of_h.end) {
        for (std::int64_t h = slice.made.end; h < of_h.end; ++h) make(d, h, row(h));
        slice.made = {std::max(slice.made.begin, of_h.end - along_h_), of_h.end};
      }
      for (std::int64_t h = of_h.begin; h < of_h.end; ++h) {
        asm("" : "+r"(h));  // mostly one or two: as vectors, which compilers like, they take longer
        to[count++] = row(h) + first;
      }
    }
    return count;
  }

 private:
  struct Slice {
    std::int64_t plane = -1, d = 0;
    Span made;
  };
  // Where a row is kept is looked up for every row of cells, and takes no division.
  static constexpr std::int64_t power_of_two(std::int64_t count) {
    return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(count)));
  }

  std::int64_t along_d_, along_h_, length_;
  std::vector<Slice> slices_;
  Aligned<Element> rows_;
};

}  // namespace cairn::mean_pool_backward
