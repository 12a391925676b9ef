#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "common/view.h"
#include "ops/kit/cuda/divider.h"

namespace cairn::cuda {

// How far neighbours lie apart. Coord is int where every size and offset in a plane fits.
template <typename Coord>
struct Strides {
  std::int64_t n, c;
  Coord d, h, w;

  __device__ std::int64_t slice(std::int64_t at_n, std::int64_t at_c) const { return at_n * n + at_c * c; }
  // Where a slice of the tensor begins.
  template <typename T, typename Number>
  __device__ T* slice_of(T* tensor, Number at_n, Number at_c) const {
    return tensor + at_n * n + at_c * c;
  }
  // In 64 bits, whatever Coord is.
  __device__ std::int64_t place(Coord at_d, Coord at_h, Coord at_w) const {
    return static_cast<std::int64_t>(at_d) * d + static_cast<std::int64_t>(at_h) * h +
           static_cast<std::int64_t>(at_w) * w;
  }
};

template <typename Coord>
Strides<Coord> strides_of(const View5& view) {
  return {view.n, view.c, static_cast<Coord>(view.d), static_cast<Coord>(view.h), static_cast<Coord>(view.w)};
}

// Where the element at this flat position of a plane lies.
template <typename Unsigned>
__device__ std::int64_t flat_place(const Strides<std::int64_t>& strides, Unsigned position,
                                   const Divider<Unsigned>& by_h, const Divider<Unsigned>& by_w) {
  const Unsigned row = by_w.divide(position);
  const Unsigned d = by_h.divide(row);
  return static_cast<std::int64_t>(d) * strides.d + static_cast<std::int64_t>(by_h.rest(row, d)) * strides.h +
         static_cast<std::int64_t>(by_w.rest(position, row)) * strides.w;
}

// Numbers that int coordinates can hold, with room for a tile more and for windows that begin in the padding.
inline constexpr std::int64_t kNarrow = 1 << 29;

inline bool are_narrow(std::initializer_list<std::int64_t> numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](std::int64_t number) { return number < kNarrow; });
}
inline bool is_narrow(const Size3& size) { return are_narrow({size.d, size.h, size.w}); }
// Sizes, and offsets in a plane.
inline bool is_narrow(const View5& view, const Size3& size) {
  return is_narrow(size) && are_narrow({size.d * view.d, size.h * view.h, size.w * view.w});
}

}  // namespace cairn::cuda
