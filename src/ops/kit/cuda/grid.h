#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "common/view.h"
#include "ops/kit/cuda/divider.h"

namespace cairn::cuda {

// Number: of N and of slices.
template <typename Coord, typename Number = std::int64_t>
struct Place {
  Number n;
  Number slice;
  Coord d, h, w;
};

// Numbers what threads do: over N, slices, then tiles along D, H and W; or with the slices last. A slice is a
// channel or a pack of channels.
template <typename Unsigned>
struct Grid {
  Divider<Unsigned> by_slices, by_d, by_h, by_w;

  Grid() = default;
  Grid(std::int64_t slices, const Size3& tiles)
      : by_slices(slices), by_d(tiles.d), by_h(tiles.h), by_w(tiles.w) {}

  template <typename Coord, typename Number = std::int64_t>
  __device__ Place<Coord, Number> place_of(Unsigned item, bool slices_last) const {
    using Signed = std::make_signed_t<Unsigned>;
    Digits<Unsigned> digits{item};
    Place<Coord, Number> place;
    if (slices_last) place.slice = static_cast<Signed>(digits.next(by_slices));
    place.w = static_cast<Coord>(digits.next(by_w));
    place.h = static_cast<Coord>(digits.next(by_h));
    place.d = static_cast<Coord>(digits.next(by_d));
    if (!slices_last) place.slice = static_cast<Signed>(digits.next(by_slices));
    place.n = digits.left;
    return place;
  }
};

}  // namespace cairn::cuda
