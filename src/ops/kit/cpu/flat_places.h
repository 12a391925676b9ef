#pragma once

#include <hwy/base.h>

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/span.h"

// Where the element at a flat position of a plane lies, the position being known to lie in the plane.
namespace cairn {

// In a plane without gaps …
struct DensePlaces {
  explicit DensePlaces(const MergedPlane& /*plane*/) {}
  std::int64_t offset(std::uint64_t position) const { return static_cast<std::int64_t>(position); }
};

// … in one that is one run of even stride …
struct EvenPlaces {
  std::int64_t stride;

  explicit EvenPlaces(const MergedPlane& plane) : stride(plane.stride_w) {}
  std::int64_t offset(std::uint64_t position) const { return static_cast<std::int64_t>(position) * stride; }
};

// x / divisor without a division, for x and divisor below 2^32 and divisor > 1; plain division past that.
class Divider {
 public:
  Divider(std::int64_t divisor, bool narrow)
      : divisor_(static_cast<std::uint64_t>(std::max<std::int64_t>(divisor, 1))),  // of an empty plane: 0
        reciprocal_(narrow ? ~std::uint64_t{0} / divisor_ + 1 : 0) {}

  std::uint64_t divide(std::uint64_t x) const {
    if (reciprocal_ == 0) return x / divisor_;
    std::uint64_t quotient;
    hwy::Mul128(x, reciprocal_, &quotient);
    return quotient;
  }

 private:
  std::uint64_t divisor_;
  std::uint64_t reciprocal_;
};

// … or in one of rows whose axes have to be told apart.
class RowPlaces {
 public:
  explicit RowPlaces(const MergedPlane& plane)
      : plane_(plane),
        width_(plane.size.w, plane.size.count() <= INT64_C(0xffffffff)),
        height_(plane.size.h, plane.size.count() <= INT64_C(0xffffffff)),
        next_row_(plane.stride_h - plane.size.w * plane.stride_w),
        next_slice_(plane.stride_d - plane.size.h * plane.stride_h) {}

  // Most planes have rows, and few slices: what they have not is not asked for.
  std::int64_t offset(std::uint64_t position) const {
    std::int64_t offset = static_cast<std::int64_t>(position) * plane_.stride_w;
    if (plane_.is_one_run()) return offset;
    const std::uint64_t row = width_.divide(position);
    offset += static_cast<std::int64_t>(row) * next_row_;
    if (plane_.size.d > 1) offset += static_cast<std::int64_t>(height_.divide(row)) * next_slice_;
    return offset;
  }

  // Calls body(offset, count) for the runs that these positions consist of, elements stride() apart.
  template <typename Body>
  void for_each_run(Span positions, const Body& body) const {
    for (std::int64_t i = positions.begin; i < positions.end;) {
      const std::int64_t count = std::min(plane_.size.w - i % plane_.size.w, positions.end - i);
      body(offset(static_cast<std::uint64_t>(i)), count);
      i += count;
    }
  }
  std::int64_t stride() const { return plane_.stride_w; }

 private:
  MergedPlane plane_;
  Divider width_;
  Divider height_;
  // From the end of a row to the next one, and from the end of the last row to the next slice.
  std::int64_t next_row_;
  std::int64_t next_slice_;
};

}  // namespace cairn
