#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/strides.h"

namespace cairn::max_unpool {

inline constexpr int kThreads = 256;
inline constexpr int kWindows = 4;  // of a thread at a time
inline constexpr int kChunk = kThreads * kWindows;

enum class Tiling {
  kPlanes,  // some whole planes
  kBoxes,   // a box of a plane, and the windows over it: planes where others reach into it need repair
  kRuns,    // a run of a plane's cells: looks at all windows of the plane
};

// Coord is int where every size in a plane fits.
template <typename Coord>
struct TileAxis {
  Coord pooled;
  Coord unpooled;
  Coord windows;  // of a tile
  Coord cells;    // of a tile

  __device__ Coord cells_from(Coord begin) const {
    const Coord left = unpooled - begin;
    return left < cells ? left : cells;  // may be below 0
  }
};

// What unpool_tiles does.
template <typename Coord>
struct TilePlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;
  const void* self;
  const void* indices;
  void* out;
  cuda::Strides<std::int64_t> self_strides;
  cuda::Strides<std::int64_t> index_strides;
  cuda::Strides<std::int64_t> out_strides;  // read where out has gaps
  Tiling tiling;
  TileAxis<Coord> d, h, w;
  Coord slots;       // of shared memory
  Coord plane_size;  // of out
  Coord pooled_size;
  std::uint64_t index_limit;  // plane_size, or less where the index type cannot say more
  std::int64_t planes;
  std::int64_t planes_per_tile;
  std::int64_t items;  // tiles
  cuda::Divider<std::uint64_t> tiles_d, tiles_h, tiles_w, by_c;
  Divider windows_d, windows_h, windows_w;
  Divider cells_h, cells_w;  // of a plane
  bool gaps;                 // of out; only where Coord has 64 bits
  bool packs;                // a tile's runs of out begin at whole packs
  bool repairs;              // only planes that need repair
  cuda::FaultSink faults;
};

}  // namespace cairn::max_unpool
