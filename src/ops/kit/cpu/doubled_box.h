#pragma once

#include <array>
#include <cstdint>

#include "common/view.h"

namespace cairn {

// The cells in the place of one where H and W are doubled, and D is or stays: rows of two neighbours.
class DoubledBox {
 public:
  static constexpr std::size_t kMostRows = 4;

  DoubledBox(const Size3& pooled, const Size3& unpooled)
      : pooled_(pooled), unpooled_(unpooled), rows_(unpooled.d == pooled.d ? 2 : 4) {
    for (std::size_t r = 0; r < kMostRows; ++r)
      offsets_[r] =
          static_cast<std::int64_t>(r / 2 * static_cast<std::size_t>(unpooled.h) + r % 2) * unpooled.w;
  }

  static bool fits(const Size3& pooled, const Size3& unpooled) {
    return pooled.h * 2 == unpooled.h && pooled.w * 2 == unpooled.w &&
           (pooled.d == unpooled.d || pooled.d * 2 == unpooled.d);
  }

  std::size_t rows() const { return rows_; }
  std::int64_t offset(std::size_t row) const { return offsets_[row]; }  // from the first row's
  // The first cell of a row's first box, rows counted over D and H.
  std::int64_t first_cell(std::int64_t row) const {
    const auto slices = static_cast<std::int64_t>(rows_ / 2);
    return (row / pooled_.h * slices * unpooled_.h + row % pooled_.h * 2) * unpooled_.w;
  }
  // Whether the lowest 16 bits of a distance tell the cells apart.
  bool fits_short() const {
    const auto low = [this](std::size_t i) {
      return static_cast<std::uint16_t>(offsets_[i / 2] + static_cast<std::int64_t>(i % 2));
    };
    for (std::size_t i = 0; i < rows_ * 2; ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (low(i) == low(k)) return false;
      }
    }
    return true;
  }

 private:
  Size3 pooled_;
  Size3 unpooled_;
  std::size_t rows_;
  std::array<std::int64_t, kMostRows> offsets_;
};

}  // namespace cairn
