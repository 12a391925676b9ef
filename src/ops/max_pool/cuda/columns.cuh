#pragma once

#include "ops/kit/cuda/max_pooling/window.cuh"
#include "ops/kit/cuda/shared_memory.cuh"

// Windows that share few cells, of any size and spacing, rows along W: threads find the best of each column
// of a window's rows, side by side as they lie in memory, and then the best of each window's columns.
namespace cairn::max_pool {

using namespace max_pooling;

// Small blocks whose threads have many loads under way: the last blocks of a grid end sooner. H200, us with
// these and with blocks of 256 that load four rows at once: am3-32to5 FLOAT 79 and 83, FLOAT16 47 and 50;
// am3-32to4 65 and 66, 43 and 42. With room for more than six blocks at a time they push each other's lines
// out of the cache: 88 and 57 for 32to5.
constexpr int kColumnThreads = 128;
constexpr int kColumnBlocks = 6;
constexpr int kRowsAtOnce = 8;

struct ColumnPlan {
  PoolPlan<int> pool;  // its grid numbers rows of windows
  int total;           // of those
  int rows;            // of them in a block
  cuda::Divider<std::uint32_t> by_packs, by_windows;
  int packs;  // of cells in a row
  int slots;  // of cells in a block, with the gaps between them
};

// Of a row of windows: where it is, and the rows of cells that its windows have.
struct WindowRow {
  cuda::Place<int> place;
  cuda::WindowAxis<int>::Taps d, h;

  __device__ WindowRow(const PoolPlan<int>& plan, int row)
      : place(plan.place_of(row, false)), d(plan.axes.d.taps(place.d)), h(plan.axes.h.taps(place.h)) {}
};

// What a block finds of its columns. Every 32 of them a gap, so that neither neighbours nor windows meet in a
// bank.
struct ColumnStore {
  std::uint32_t* values;
  std::uint32_t* numbers;  // of the row of cells, counted in the window
  std::uint32_t* careful;  // of a row of windows: it has something that is not a finite number

  __device__ ColumnStore(std::uint32_t* memory, int slots)
      : values(memory), numbers(memory + slots), careful(memory + 2 * slots) {}

  __device__ static int slot(int column) { return column + (column >> 5); }
};

template <typename Format, int Count>
struct ColumnPack {
  using Bits = typename Format::Bits;
  static constexpr int kWords = Count / Format::kLanes > 0 ? Count / Format::kLanes : 1;

  Best best[kWords];
  std::uint32_t seen;

  __device__ void look_at(const cuda::Pack<Bits, Count>& cells, std::uint32_t number) {
    std::uint32_t words[kWords] = {};
    memcpy(words, &cells, sizeof(cells));
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      seen = Format::suspect(seen, words[i]);
      take<Format>(best[i], {words[i], number * Format::kEach, 0});
    }
  }

  // `from` is the pack in the first row. A column of nothing but the lowest number has its first row already.
  __device__ void look(const PoolPlan<int>& plan, const Bits* from, int slabs, int rows) {
    seen = 0;
#pragma unroll
    for (Best& one : best) one = {Format::kLowest * Format::kEach, 0, 0};
    for (int a = 0; a < slabs; ++a) {
      for (int b = 0; b < rows; b += kRowsAtOnce) {
        const Bits* row =
            from + static_cast<std::int64_t>(a) * plan.from.d + static_cast<std::int64_t>(b) * plan.from.h;
        cuda::Pack<Bits, Count> cells[kRowsAtOnce];
#pragma unroll
        for (int i = 0; i < kRowsAtOnce; ++i)
          cells[i] = cuda::load_pack_or<Bits, Count>(Format::kLowest, b + i < rows,
                                                     row + static_cast<std::int64_t>(i) * plan.from.h);
#pragma unroll
        for (int i = 0; i < kRowsAtOnce; ++i) look_at(cells[i], static_cast<std::uint32_t>(a * rows + b + i));
      }
    }
  }

  __device__ void store(const ColumnStore& to, int column) const {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      const Best& one = best[i / Format::kLanes];
      const int slot = ColumnStore::slot(column + i);
      const int shift = Format::kLanes == 1 ? 0 : i % Format::kLanes * 16;
      const std::uint32_t mask = Format::kLanes == 1 ? ~0U : 0xffffU;
      to.values[slot] = one.value >> shift & mask;
      to.numbers[slot] = one.offset >> shift & mask;
    }
  }
};

// The best of a window's columns, all of them finite numbers: of equals the one in the first row, then the
// first.
template <typename Format>
__device__ void finish_window(const PoolPlan<int>& plan, const WindowRow& row, int w,
                              const ColumnStore& columns, int first_column) {
  using Bits = typename Format::Bits;
  const auto taps = plan.axes.w.taps(w);
  const int begin = taps.start + taps.first;
  const int end = taps.start + taps.end;
  int at = begin;
  std::uint32_t value = columns.values[ColumnStore::slot(first_column + begin)];
  std::uint32_t number = columns.numbers[ColumnStore::slot(first_column + begin)];
  float best = Format::to_float(static_cast<Bits>(value));
  for (int e = begin + 1; e < end; ++e) {
    const int slot = ColumnStore::slot(first_column + e);
    const std::uint32_t bits = columns.values[slot];
    const std::uint32_t in_row = columns.numbers[slot];
    const float cell = Format::to_float(static_cast<Bits>(bits));
    const bool better = (cell > best) | ((cell == best) & (in_row < number));
    value = better ? bits : value;
    number = better ? in_row : number;
    best = better ? cell : best;
    at = better ? e : at;
  }
  const auto rows = static_cast<std::uint32_t>(row.h.end - row.h.first);
  const auto slab = static_cast<int>(number / rows);
  const int d = row.d.start + row.d.first + slab;
  const int h = row.h.start + row.h.first + static_cast<int>(number) - slab * static_cast<int>(rows);
  const int index = (d * plan.axes.h.in + h) * plan.axes.w.in + at;
  const cuda::Place<int>& place = row.place;
  static_cast<Bits*>(plan.values)[plan.to.slice(place.n, place.slice) + plan.to.place(place.d, place.h, w)] =
      static_cast<Bits>(value);
  const std::int64_t to =
      plan.index_to.slice(place.n, place.slice) + plan.index_to.place(place.d, place.h, w);
  if (plan.wide_indices) {
    static_cast<std::int64_t*>(plan.indices)[to] = index;
  } else {
    static_cast<std::int32_t*>(plan.indices)[to] = index;
  }
}

template <typename Format, int Count>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocks)
    pool_columns(const __grid_constant__ ColumnPlan plan) {
  using Bits = typename Format::Bits;
  CAIRN_SHARED_MEMORY(std::uint32_t, memory);
  cuda::let_next_kernel_come();
  const PoolPlan<int>& pool = plan.pool;
  const ColumnStore columns(memory, plan.slots);
  const int first = static_cast<int>(blockIdx.x) * plan.rows;
  const int rows = min(plan.rows, plan.total - first);
  const int width = pool.axes.w.in;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < rows; i += kColumnThreads) columns.careful[i] = 0;
  __syncthreads();
  cuda::wait_for_kernel_before();
  for (int item = thread; item < rows * plan.packs; item += kColumnThreads) {
    const auto r = static_cast<int>(plan.by_packs.divide(static_cast<std::uint32_t>(item)));
    const int column = (item - r * plan.packs) * Count;
    const WindowRow row(pool, first + r);
    const Bits* from =
        cuda::keep(static_cast<const Bits*>(pool.self) + pool.from.slice(row.place.n, row.place.slice) +
                   pool.from.place(row.d.start + row.d.first, row.h.start + row.h.first, 0) + column);
    ColumnPack<Format, Count> pack;
    pack.look(pool, from, row.d.end - row.d.first, row.h.end - row.h.first);
    pack.store(columns, r * width + column);
    if (Format::is_nan(pack.seen)) columns.careful[r] = 1;
  }
  __syncthreads();
  const int windows = pool.axes.w.out;
  for (int item = thread; item < rows * windows; item += kColumnThreads) {
    const auto r = static_cast<int>(plan.by_windows.divide(static_cast<std::uint32_t>(item)));
    const int w = item - r * windows;
    const WindowRow row(pool, first + r);
    if (columns.careful[r] != 0) {
      pool_window<Format>(pool, row.place.n, row.place.slice, row.place.d, row.place.h, w);
    } else {
      finish_window<Format>(pool, row, w, columns, r * width);
    }
  }
}

}  // namespace cairn::max_pool
