#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/repair.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/max_unpool/cuda/slots.cuh"

// A block fills a tile of out in shared memory and writes it once.
namespace cairn::max_unpool {

template <typename Coord>
struct Tile {
  std::int64_t plane;  // the first
  std::int64_t planes;
  Coord box_d, box_h, box_w;  // its number along each axis
  Coord begin_d, begin_h, begin_w;
  Coord size_d, size_h, size_w;
};

template <typename Coord>
__device__ Tile<Coord> tile_of(const TilePlan<Coord>& plan, std::int64_t item) {
  cuda::Digits<std::uint64_t> digits{static_cast<std::uint64_t>(item)};
  Tile<Coord> tile;
  tile.box_w = static_cast<Coord>(digits.next(plan.tiles_w));
  tile.box_h = static_cast<Coord>(digits.next(plan.tiles_h));
  tile.box_d = static_cast<Coord>(digits.next(plan.tiles_d));
  tile.plane = static_cast<std::int64_t>(digits.left) * plan.planes_per_tile;
  tile.planes =
      plan.planes - tile.plane < plan.planes_per_tile ? plan.planes - tile.plane : plan.planes_per_tile;
  tile.begin_d = tile.box_d * plan.d.cells;
  tile.begin_h = tile.box_h * plan.h.cells;
  tile.begin_w = tile.box_w * plan.w.cells;
  tile.size_d = plan.d.cells_from(tile.begin_d);
  tile.size_h = plan.h.cells_from(tile.begin_h);
  tile.size_w = plan.w.cells_from(tile.begin_w);
  return tile;
}

// A window of the tile, by its number there. They are numbered in the order of their flat positions.
template <typename Coord>
struct WindowPlace {
  std::int64_t plane;
  Coord d, h, w;
  bool there;
};

template <typename Coord>
__device__ WindowPlace<Coord> window_of(const TilePlan<Coord>& plan, const Tile<Coord>& tile, Coord number) {
  using Unsigned = std::make_unsigned_t<Coord>;
  const Unsigned row = plan.windows_w.divide(static_cast<Unsigned>(number));
  const Unsigned slab = plan.windows_h.divide(row);
  const Unsigned plane = plan.windows_d.divide(slab);
  WindowPlace<Coord> window;
  window.w = static_cast<Coord>(plan.windows_w.rest(static_cast<Unsigned>(number), row));
  window.h = static_cast<Coord>(plan.windows_h.rest(row, slab));
  window.d = static_cast<Coord>(plan.windows_d.rest(slab, plane));
  if (plan.tiling == Tiling::kBoxes) {
    window.w += tile.box_w * plan.w.windows;
    window.h += tile.box_h * plan.h.windows;
    window.d += tile.box_d * plan.d.windows;
  }
  window.plane = tile.plane + static_cast<std::int64_t>(plane);
  window.there = (window.w < plan.w.pooled) & (window.h < plan.h.pooled) & (window.d < plan.d.pooled) &
                 (static_cast<std::int64_t>(plane) < tile.planes);
  return window;
}

template <typename Coord>
__device__ std::int64_t offset_of(const TilePlan<Coord>& plan, const cuda::Strides<std::int64_t>& strides,
                                  const WindowPlace<Coord>& window) {
  const auto n = static_cast<std::int64_t>(plan.by_c.divide(static_cast<std::uint64_t>(window.plane)));
  const std::int64_t c = window.plane - n * static_cast<std::int64_t>(plan.by_c.divisor());
  return strides.slice(n, c) + window.d * strides.d + window.h * strides.h + window.w * strides.w;
}

template <typename Coord>
__device__ Coord flat_of(const TilePlan<Coord>& plan, const WindowPlace<Coord>& window) {
  return (window.d * plan.h.pooled + window.h) * plan.w.pooled + window.w;
}

// The slot of a cell in the tile, or a number below 0 where it lies elsewhere.
template <typename Coord>
__device__ Coord slot_of(const TilePlan<Coord>& plan, const Tile<Coord>& tile, std::int64_t plane,
                         Coord cell) {
  using Unsigned = std::make_unsigned_t<Coord>;
  if (plan.tiling == Tiling::kPlanes) return static_cast<Coord>(plane - tile.plane) * plan.plane_size + cell;
  if (plan.tiling == Tiling::kRuns) {
    const Coord slot = cell - tile.begin_w;
    return slot < tile.size_w ? slot : -1;
  }
  const Unsigned row = plan.cells_w.divide(static_cast<Unsigned>(cell));
  const Unsigned slab = plan.cells_h.divide(row);
  const Coord w = static_cast<Coord>(plan.cells_w.rest(static_cast<Unsigned>(cell), row)) - tile.begin_w;
  const Coord h = static_cast<Coord>(plan.cells_h.rest(row, slab)) - tile.begin_h;
  const Coord d = static_cast<Coord>(slab) - tile.begin_d;
  const bool inside =
      (w >= 0) & (w < tile.size_w) & (h >= 0) & (h < tile.size_h) & (d >= 0) & (d < tile.size_d);
  return inside ? (d * plan.h.cells + h) * plan.w.cells + w : -1;
}

// Whether the index counts. One outside the plane is reported, unless it is -1 or another tile does that.
template <typename Index, typename Coord>
__device__ bool is_inside(const TilePlan<Coord>& plan, const Tile<Coord>& tile, Index index,
                          const WindowPlace<Coord>& window) {
  using UnsignedIndex = std::make_unsigned_t<Index>;
  if (static_cast<UnsignedIndex>(index) < static_cast<UnsignedIndex>(plan.index_limit)) return true;
  if (index == Index{-1} || plan.repairs || (plan.tiling == Tiling::kRuns && tile.box_w != 0)) return false;
  const std::int64_t position = window.plane * plan.pooled_size + flat_of(plan, window);
  cuda::report_fault(plan.faults, position, index, plan.plane_size);
  return false;
}

// The values of all windows of the tile, into their slots. Packs: self and indices have no gaps, and packs of
// windows lie in one row.
template <typename T, typename Index, bool Packs, typename Coord>
__device__ void scatter(const TilePlan<Coord>& plan, const Tile<Coord>& tile, Slot<T>* slots) {
  const auto* self = static_cast<const T*>(plan.self);
  const auto* indices = static_cast<const Index*>(plan.indices);
  const auto windows = static_cast<Coord>(tile.planes) * plan.d.windows * plan.h.windows * plan.w.windows;
  bool needs_repair = false;
  for (Coord chunk = 0; chunk < windows; chunk += kChunk) {
    cuda::Pack<Index, kWindows> index;
    cuda::Pack<T, kWindows> value;
    WindowPlace<Coord> window[kWindows];
    int number[kWindows];
    int slot[kWindows];
#pragma unroll
    for (int i = 0; i < kWindows; ++i) {
      number[i] =
          Packs ? static_cast<int>(threadIdx.x) * kWindows + i : i * kThreads + static_cast<int>(threadIdx.x);
      if constexpr (Packs) {
        if (i == 0) window[0] = window_of(plan, tile, chunk + number[0]);
        window[i] = window[0];
        window[i].w += i;
      } else {
        window[i] = window_of(plan, tile, chunk + number[i]);
        const bool there = window[i].there;
        index.at[i] = there ? indices[offset_of(plan, plan.index_strides, window[i])] : Index{-1};
        value.at[i] = there ? self[offset_of(plan, plan.self_strides, window[i])] : T{};
      }
    }
    if constexpr (Packs) {
      const std::int64_t from = window[0].plane * plan.pooled_size + flat_of(plan, window[0]);
      index = cuda::load_pack_if<Index, kWindows, kNone>(window[0].there, indices + from);
      value = cuda::load_pack_if<T, kWindows>(window[0].there, self + from);
    }
    bool any = false;
#pragma unroll
    for (int i = 0; i < kWindows; ++i) {
      slot[i] = -1;
      if (!is_inside(plan, tile, index.at[i], window[i])) continue;
      slot[i] = static_cast<int>(slot_of(plan, tile, window[i].plane, static_cast<Coord>(index.at[i])));
      needs_repair |= slot[i] < 0;
      any |= slot[i] >= 0;
    }
    if (__syncthreads_or(any) == 0) continue;
    keep_last(Owners<sizeof(Slot<T>)>(slots), slot, number, chunk == 0);
#pragma unroll
    for (int i = 0; i < kWindows; ++i)
      if (slot[i] >= 0) slots[slot[i]] = value.at[i];
  }
  if (needs_repair && plan.tiling == Tiling::kBoxes)
    cuda::repairs_of(plan.faults).add(static_cast<std::uint64_t>(tile.plane));
}

// Wherever cells lie.
template <typename T, typename Coord>
__device__ void write_with_gaps(const TilePlan<Coord>& plan, const Tile<Coord>& tile, const Slot<T>* slots) {
  using Unsigned = std::make_unsigned_t<Coord>;
  const Coord cells = plan.d.cells * plan.h.cells * plan.w.cells;
  for (std::int64_t plane = 0; plane < tile.planes; ++plane) {
    const auto n =
        static_cast<std::int64_t>(plan.by_c.divide(static_cast<std::uint64_t>(tile.plane + plane)));
    const std::int64_t c = tile.plane + plane - n * static_cast<std::int64_t>(plan.by_c.divisor());
    T* to = static_cast<T*>(plan.out) + plan.out_strides.slice(n, c);
    for (Coord i = static_cast<Coord>(threadIdx.x); i < cells; i += kThreads) {
      const Coord row = i / plan.w.cells;
      const Coord d = row / plan.h.cells;
      const Coord h = row - d * plan.h.cells;
      const Coord w = i - row * plan.w.cells;
      if (w >= tile.size_w || h >= tile.size_h || d >= tile.size_d) continue;
      // In a run or a plane, all cells are one row.
      const std::int64_t offset =
          plan.tiling == Tiling::kBoxes
              ? plan.out_strides.place(tile.begin_d + d, tile.begin_h + h, tile.begin_w + w)
              : cuda::flat_place(plan.out_strides, static_cast<Unsigned>(tile.begin_w + w), plan.cells_h,
                                 plan.cells_w);
      to[offset] = static_cast<T>(slots[static_cast<Coord>(plane) * plan.plane_size + i]);
    }
  }
}

template <typename T, typename Coord>
__device__ void write_tile(const TilePlan<Coord>& plan, const Tile<Coord>& tile, const Slot<T>* slots) {
  if constexpr (sizeof(Coord) == 8) {
    if (plan.gaps) return write_with_gaps<T>(plan, tile, slots);
  }
  T* to = static_cast<T*>(plan.out) + tile.plane * plan.plane_size;
  if (plan.tiling == Tiling::kPlanes)
    return write_run(slots, to, static_cast<int>(tile.planes * plan.plane_size), plan.packs);
  if (tile.size_w <= 0 || tile.size_h <= 0) return;
  const bool whole_rows = plan.w.cells == plan.w.unpooled;
  const Coord rows = whole_rows ? 1 : tile.size_h;
  const int length = static_cast<int>(whole_rows ? tile.size_h * tile.size_w : tile.size_w);
  for (Coord d = 0; d < tile.size_d; ++d) {
    for (Coord h = 0; h < rows; ++h) {
      const std::int64_t row =
          static_cast<std::int64_t>(tile.begin_d + d) * plan.h.unpooled + tile.begin_h + h;
      write_run(slots + (d * plan.h.cells + h) * plan.w.cells, to + row * plan.w.unpooled + tile.begin_w,
                length, plan.packs);
    }
  }
}

template <typename T, typename Index, bool Packs, typename Coord>
__global__ void __launch_bounds__(kThreads) unpool_tiles(const __grid_constant__ TilePlan<Coord> plan) {
  CAIRN_SHARED_MEMORY(uint4, shared);
  auto* slots = reinterpret_cast<Slot<T>*>(shared);
  cuda::let_next_kernel_come();
  if (plan.repairs) {
    cuda::wait_for_kernel_before();
    if (!cuda::repairs_of(plan.faults).any()) return;
  }
  for (std::int64_t item = blockIdx.x; item < plan.items; item += gridDim.x) {
    const Tile<Coord> tile = tile_of(plan, item);
    if (plan.repairs && !cuda::repairs_of(plan.faults).has(static_cast<std::uint64_t>(tile.plane))) continue;
    const int words = static_cast<int>(plan.slots * sizeof(Slot<T>) / sizeof(uint4));
    for (int i = static_cast<int>(threadIdx.x); i < words; i += kThreads) shared[i] = uint4{};
    cuda::wait_for_kernel_before();
    scatter<T, Index, Packs>(plan, tile, slots);
    __syncthreads();
    write_tile<T>(plan, tile, slots);
    __syncthreads();
  }
}

}  // namespace cairn::max_unpool
