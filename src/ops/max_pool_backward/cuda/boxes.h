#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/strides.h"

namespace cairn::max_pool_backward {

// A warp owns a box of cells: it keeps their sums in shared memory, walks the windows that reach the box in
// ascending order, and writes the box once. Coord is int where every size and offset in a plane fits.

inline constexpr int kNone = 0xff;  // every byte of an index of -1

template <typename Coord>
struct Range {
  Coord begin;
  Coord end;
  __device__ Coord size() const { return end - begin; }
};

template <typename Coord>
struct BoxAxis {
  Coord in;
  Coord out;
  Coord stride;
  Coord padding;
  Coord extent;  // cells from a window's first tap to its last
  Coord box;     // cells; the last box of the axis may be shorter
  Coord boxes;   // at least one: the windows over no cells have to be looked at too
  cuda::Divider<std::make_unsigned_t<Coord>> by_stride;

  __device__ Range<Coord> cells(Coord i) const {
    const Coord begin = i * box;
    return {begin, begin + box < in ? begin + box : in};
  }
  // The windows that reach any of these cells; the first and the last box leave none out.
  __device__ Range<Coord> windows(Coord i, Range<Coord> cells) const {
    const Coord first =
        cells.begin + padding - extent + stride;  // of the window that begins past that, rounded up
    const Coord end = static_cast<Coord>(by_stride.divide(cells.end - 1 + padding)) + 1;
    return {i == 0 || first <= 0 ? 0 : static_cast<Coord>(by_stride.divide(first)),
            i == boxes - 1 || end > out ? out : end};
  }
  __device__ Coord start(Coord window) const { return window * stride - padding; }
};

template <typename Coord>
struct BoxPlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  BoxAxis<Coord> d;
  BoxAxis<Coord> h;
  BoxAxis<Coord> w;
  cuda::Divider<std::make_unsigned_t<Coord>> height;
  cuda::Divider<std::make_unsigned_t<Coord>> width;
  std::uint64_t index_limit;  // indices from here on, taken as unsigned, are outside the plane
  std::uint64_t c;
  std::uint64_t items;  // what one warp does at a time: a box of one plane, or of one group of channels
  cuda::Grid<std::uint64_t> grid;  // of boxes; a slice: a plane, or a group of channels
  cuda::Strides<Coord> output_strides;
  cuda::Strides<Coord> index_strides;
  cuda::Strides<std::int64_t> input_strides;
  int pack;            // elements of gradInput that one store can always take
  bool rows_follow;    // a box's rows lie one after the other in gradInput …
  bool slabs_follow;   // … and so do its slabs
  int conflict_reach;  // windows of a row share cells with at most this many that follow
  cuda::Divider<std::make_unsigned_t<Coord>> by_row_step;  // positions of a row in the walk, padding included
  int floats_per_warp;
  cuda::Repairs repairs;
};

// The target of an index that is known to lie in the plane.
template <typename Coord>
struct Cell {
  Coord d;
  Coord h;
  Coord w;
};

template <typename Coord>
__device__ Cell<Coord> cell_of(const BoxPlan<Coord>& plan, std::make_unsigned_t<Coord> index) {
  const auto row = plan.width.divide(index);
  const auto d = plan.height.divide(row);
  return {static_cast<Coord>(d), static_cast<Coord>(plan.height.rest(row, d)),
          static_cast<Coord>(plan.width.rest(index, row))};
}

template <typename Index>
__device__ int as_int(Index index) {
  const int low = static_cast<int>(index);
  return low == index ? low : -2;  // outside any plane that int can hold the cells of
}

template <typename Coord>
__device__ bool within(Coord position, Coord begin, Coord length) {
  using Unsigned = std::make_unsigned_t<Coord>;
  // Of an index that is no place the position is anything: it may wrap around.
  return static_cast<Unsigned>(position) - static_cast<Unsigned>(begin) < static_cast<Unsigned>(length);
}

}  // namespace cairn::max_pool_backward
