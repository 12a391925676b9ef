#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/cuda/views.h"

namespace cairn::cuda {

// Small planes that follow each other, in tiles of some: blocks copy tiles into shared memory as they lie.
// With room for two tiles there are as many blocks as the device holds, and each looks at the windows of one
// tile while the next is on its way.
struct PlaneTiles {
  static constexpr std::int64_t kPackBytes = 16;
  static constexpr std::int64_t kSharedBytes = 220 << 10;  // of a multiprocessor

  // What a block has.
  struct Room {
    int rooms;              // for tiles: one or two
    std::int64_t bytes;     // of a tile at most
    std::int64_t windows;   // wanted of a tile
    std::int64_t more = 0;  // bytes besides, for a plane
  };

  const void* read;
  unsigned cells, windows;      // of a plane
  unsigned slices, all_slices;  // of a tile, in all
  unsigned tiles;
  // Room for a tile, which may begin and end within a pack; kernels of halves read the word after a row, too.
  unsigned tile_packs;

  PlaneTiles() = default;
  PlaneTiles(const void* read, std::int64_t element, std::int64_t all_slices, const Size3& in,
             const Size3& out, const Room& room)
      : read(read),
        cells(static_cast<unsigned>(in.count())),
        windows(static_cast<unsigned>(out.count())),
        slices(static_cast<unsigned>(slices_of(element, in, out, room))),
        all_slices(static_cast<unsigned>(all_slices)),
        tiles(static_cast<unsigned>(divide_up(all_slices, slices))),
        tile_packs(static_cast<unsigned>(slices * in.count() * element / kPackBytes + 2)) {}

  static std::int64_t slices_of(std::int64_t element, const Size3& in, const Size3& out, const Room& room) {
    return std::clamp<std::int64_t>(room.windows / out.count(), 1,
                                    std::max<std::int64_t>(room.bytes / (in.count() * element), 1));
  }
  std::int64_t bytes(const Room& room) const {
    return room.rooms * kPackBytes * tile_packs + slices * room.more;
  }
  std::int64_t blocks(const Room& room, int threads, int multiprocessors) const {
    if (room.rooms == 1) return tiles;
    const std::int64_t each = std::min<std::int64_t>(2048 / threads, kSharedBytes / (bytes(room) + 1024));
    return std::min<std::int64_t>(tiles, multiprocessors * each);
  }

  // What speaks against them.
  static const char* why_not(const void* read, std::int64_t element, const Size3& in, const Size3& out,
                             const Room& room) {
    const std::int64_t slices = slices_of(element, in, out, room);
    if (slices * in.count() * element > room.bytes || slices * out.count() < 32) return "planes are large";
    return in_packs(read, 1, kPackBytes, {}) ? nullptr : "cells do not begin with a pack";
  }

  // Copies a tile, from the pack on in which it begins. Returns by how many elements that is too early.
  template <typename T>
  __device__ unsigned copy(unsigned tile, T* to) const {
    constexpr unsigned kCount = kPackBytes / sizeof(T);
    const std::int64_t first = std::int64_t{tile} * slices;
    const std::int64_t begin = first * cells;
    const std::int64_t end = min(first + slices, std::int64_t{all_slices}) * cells;
    const auto early = static_cast<unsigned>(begin % kCount);
    const auto elements = static_cast<unsigned>(end - begin) + early;
    const T* from = static_cast<const T*>(read) + (begin - early);
    // The last pack may end in the tiles that follow, but not behind the last of them.
    const std::int64_t there = std::int64_t{all_slices} * cells - (begin - early);
    const auto packs = static_cast<unsigned>(min(std::int64_t{(elements - 1) / kCount + 1}, there / kCount));
    const unsigned packed = packs * kCount;
    const T* pack = from + threadIdx.x * kCount;
    T* place = to + threadIdx.x * kCount;
    for (const T* const end_of_packs = from + packed; pack < end_of_packs;
         pack += blockDim.x * kCount, place += blockDim.x * kCount)
      copy_async(place, pack);
    for (unsigned i = packed + threadIdx.x; i < elements; i += blockDim.x) to[i] = from[i];
    return early;
  }

  // body(tile, where its first plane is), for the tiles of this block.
  template <typename T, typename Body>
  __device__ void for_each(unsigned char* shared, const Body& body) const {
    T* staged = reinterpret_cast<T*>(shared);
    T* next = staged + tile_packs * (kPackBytes / sizeof(T));
    unsigned early = copy(blockIdx.x, staged);
    end_turn_of_copies();
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
      unsigned next_early = 0;
      if (tile + gridDim.x < tiles) next_early = copy(tile + gridDim.x, next);
      end_turn_of_copies();
      wait_for_turns_before();
      __syncthreads();
      body(tile, static_cast<const T*>(staged + early));
      __syncthreads();
      T* done = staged;
      staged = next;
      next = done;
      early = next_early;
    }
  }
};

}  // namespace cairn::cuda
