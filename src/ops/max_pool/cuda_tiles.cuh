#pragma once

#include "ops/max_pool/cuda_window.cuh"

// Window shapes known at compile time, rows along W: a thread looks at a tile of windows. It finds the best
// of each row of taps once, and of those the best of each window.
namespace cairn::max_pool {

template <int Kernel, int Stride, int Padding, int Windows>
struct TileAxis {
  static constexpr int kKernel = Kernel;
  static constexpr int kStride = Stride;
  static constexpr int kPadding = Padding;
  static constexpr int kWindows = Windows;
  static constexpr int kCells = (Windows - 1) * Stride + Kernel;

  static constexpr bool covers(int window, int cell) {
    return cell >= window * Stride && cell < window * Stride + Kernel;
  }
  static constexpr bool begins(int window, int cell) { return cell == window * Stride; }
};

// The cells of a row that a tile's windows cover, rows along W: a pack, and some on either side. Whole: rows
// of cells and of windows lie in whole packs.
template <typename Format, typename W, bool Whole>
struct CellRow {
  using Bits = typename Format::Bits;
  using Axis = W;
  static constexpr int kWords = W::kWindows / Format::kLanes;  // of windows
  static constexpr int kPack = W::kWindows * W::kStride;
  static constexpr int kPackWords = kPack / Format::kLanes;
  static constexpr int kLeft = W::kPadding;
  static constexpr int kRight = W::kCells - kLeft - kPack > 0 ? W::kCells - kLeft - kPack : 0;
  static constexpr bool kWhole = Whole;
  static constexpr bool kSlicesLast = false;

  std::uint32_t pack[kPackWords];
  std::uint32_t left[kLeft + 1];
  std::uint32_t right[kRight + 1];

  // How far a lane's window begins after the tile's first.
  static constexpr int shift(int word, int lane) { return (word * Format::kLanes + lane) * W::kStride; }

  // `start` is the first cell that is covered; `there` says whether the row is in the plane.
  __device__ void load(const PoolPlan<int>& plan, const Bits* row, int start, bool there) {
    const int in = plan.w.in;
    const int cell = start + kLeft;
    const auto one = [row](int at, bool inside) -> std::uint32_t {
      return cuda::load_pack_or<Bits, 1>(Format::kLowest, inside, row + at).at[0];
    };
    const auto any = [&](int at) {
      return one(at, there & (static_cast<unsigned>(at) < static_cast<unsigned>(in)));
    };
    cuda::Pack<Bits, kPack> some;
    if constexpr (Whole) {
      some = cuda::load_pack_or<Bits, kPack>(Format::kLowest, there, row + cell);
#pragma unroll
      for (int i = 0; i < kLeft; ++i) left[i] = one(start + i, there & (start + i >= 0));
#pragma unroll
      for (int i = 0; i < kRight; ++i) right[i] = one(cell + kPack + i, there & (cell + kPack + i < in));
    } else {
#pragma unroll
      for (int i = 0; i < kLeft; ++i) left[i] = any(start + i);
#pragma unroll
      for (int i = 0; i < kPack; ++i) some.at[i] = static_cast<Bits>(any(cell + i));
#pragma unroll
      for (int i = 0; i < kRight; ++i) right[i] = any(cell + kPack + i);
    }
    memcpy(pack, &some, sizeof(pack));
  }
  __device__ std::uint32_t suspect(std::uint32_t seen) const {
#pragma unroll
    for (int i = 0; i < kPackWords; ++i) seen = Format::suspect(seen, pack[i]);
#pragma unroll
    for (int i = 0; i < kLeft; ++i) seen = Format::suspect(seen, left[i]);
#pragma unroll
    for (int i = 0; i < kRight; ++i) seen = Format::suspect(seen, right[i]);
    return seen;
  }
  __device__ std::uint32_t word_of(int cell) const {
    const int at = cell - kLeft;
    return at < 0 ? left[cell] : at < kPack ? pack[at / Format::kLanes] : right[at - kPack];
  }
  static constexpr bool is_high(int cell) {
    const int at = cell - kLeft;
    return Format::kLanes == 2 && at >= 0 && at < kPack && at % 2 == 1;
  }
  // Tap `tap` of the windows in word `word`.
  __device__ std::uint32_t tap(int word, int tap) const {
    const int cell = word * Format::kLanes * W::kStride + tap;
    if constexpr (Format::kLanes == 1) {
      return word_of(cell);
    } else {
      const int next = cell + W::kStride;
      const unsigned low = is_high(cell) ? 0x32U : 0x10U;
      const unsigned high = is_high(next) ? 0x7600U : 0x5400U;
      return __byte_perm(word_of(cell), word_of(next), low | high);
    }
  }
};

// The taps of a window's row, channels side by side: a pack of channels each.
template <typename Format, typename W>
struct ChannelRow {
  static_assert(W::kWindows == 1);
  using Bits = typename Format::Bits;
  using Axis = W;
  static constexpr int kWords = kChannels / Format::kLanes;
  static constexpr bool kWhole = true;
  static constexpr bool kSlicesLast = true;

  std::uint32_t words[W::kKernel][kWords];

  static constexpr int shift(int, int) { return 0; }
  __device__ void load(const PoolPlan<int>& plan, const Bits* row, int start, bool there) {
#pragma unroll
    for (int i = 0; i < W::kKernel; ++i) {
      const int at = start + i;
      const bool inside = there & (static_cast<unsigned>(at) < static_cast<unsigned>(plan.w.in));
      const auto some = cuda::load_pack_or<Bits, kChannels>(Format::kLowest, inside, row + at * plan.from.w);
      memcpy(words[i], &some, sizeof(some));
    }
  }
  __device__ std::uint32_t suspect(std::uint32_t seen) const {
#pragma unroll
    for (int i = 0; i < W::kKernel; ++i)
#pragma unroll
      for (int word = 0; word < kWords; ++word) seen = Format::suspect(seen, words[i][word]);
    return seen;
  }
  __device__ std::uint32_t tap(int word, int tap) const { return words[tap][word]; }
};

template <typename Format, typename D, typename H, typename Row>
struct TilePool {
  using W = typename Row::Axis;
  static constexpr int kWords = Row::kWords;
  static constexpr int kCount = kWords * Format::kLanes;  // windows or channels that are written together
  static constexpr bool kSlabs = D::kKernel > 1;
  using Bits = typename Format::Bits;

  const PoolPlan<int>& plan;
  int start_d, start_h, start_w;  // the first cell of the first window
  Best best[D::kWindows][H::kWindows][kWords];
  std::uint32_t seen;

  __device__ void look_at_row(const Bits* plane, int slab, int row, Best (&found)[kWords]) {
    const int d = start_d + slab;
    const int h = start_h + row;
    const bool there = (static_cast<unsigned>(d) < static_cast<unsigned>(plan.d.in)) &
                       (static_cast<unsigned>(h) < static_cast<unsigned>(plan.h.in));
    Row cells;
    cells.load(plan, plane + (d * plan.from.d + h * plan.from.h), start_w, there);
    seen = cells.suspect(seen);
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      const std::uint32_t in_slab = static_cast<std::uint32_t>(slab) * Format::kEach;
      found[word] = {cells.tap(word, 0), offset_of<Format>(plan, slab, row, 0), in_slab};
#pragma unroll
      for (int tap = 1; tap < W::kKernel; ++tap)
        take<Format, false>(found[word],
                            {cells.tap(word, tap), offset_of<Format>(plan, slab, row, tap), in_slab});
    }
  }

  __device__ void look_at_slab(const Bits* plane, int slab, Best (&found)[H::kWindows][kWords]) {
#pragma unroll
    for (int row = 0; row < H::kCells; ++row) {
      Best in_row[kWords];
      look_at_row(plane, slab, row, in_row);
#pragma unroll
      for (int h = 0; h < H::kWindows; ++h) {
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          if (H::begins(h, row)) {
            found[h][word] = in_row[word];
          } else if (H::covers(h, row)) {
            take<Format, false>(found[h][word], in_row[word]);
          }
        }
      }
    }
  }

  __device__ void look(const Bits* plane) {
    seen = 0;
#pragma unroll
    for (int slab = 0; slab < D::kCells; ++slab) {
      Best in_slab[H::kWindows][kWords];
      look_at_slab(plane, slab, in_slab);
#pragma unroll
      for (int d = 0; d < D::kWindows; ++d) {
#pragma unroll
        for (int h = 0; h < H::kWindows; ++h) {
#pragma unroll
          for (int word = 0; word < kWords; ++word) {
            if (D::begins(d, slab)) {
              best[d][h][word] = in_slab[h][word];
            } else if (D::covers(d, slab)) {
              take<Format, kSlabs>(best[d][h][word], in_slab[h][word]);
            }
          }
        }
      }
    }
  }

  // False where something is not a finite number, or no tap of a window beats the padding. `count` windows
  // of the tile exist along each axis.
  __device__ bool is_plain(int3 count) const {
    bool plain = !Format::is_nan(seen);
#pragma unroll
    for (int d = 0; d < D::kWindows; ++d) {
#pragma unroll
      for (int h = 0; h < H::kWindows; ++h) {
        if ((d >= count.x) | (h >= count.y)) continue;
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          const std::uint32_t value = best[d][h][word].value;
          const bool all = Row::kWhole || (word + 1) * Format::kLanes <= count.z;
          if (all) plain &= Format::all_larger(value, Format::kLowest * Format::kEach);
          if (!all && word * Format::kLanes < count.z)
            plain &= Format::to_float(static_cast<Bits>(value)) > Format::to_float(Format::kLowest);
        }
      }
    }
    return plain;
  }

  // The windows d, h of the tile, side by side: `count` of them exist.
  __device__ void write_row(int d, int h, std::int64_t at, std::int64_t index_at, int count) const {
    const int first = (start_d * plan.h.in + start_h) * plan.w.in + start_w;
    int index[kCount];
    std::uint32_t words[kWords];
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      words[word] = best[d][h][word].value;
#pragma unroll
      for (int lane = 0; lane < Format::kLanes; ++lane)
        index[word * Format::kLanes + lane] =
            index_of<Format, kSlabs>(plan, best[d][h][word], lane, first + Row::shift(word, lane));
    }
    cuda::Pack<Bits, kCount> values;
    memcpy(&values, words, sizeof(values));
    Bits* to = static_cast<Bits*>(plan.values) + at;
    if constexpr (Row::kWhole) {
      cuda::store_pack(to, values);
    } else {
#pragma unroll
      for (int i = 0; i < kCount; ++i)
        if (i < count) to[i] = values.at[i];
    }
    write_indices<Row::kWhole>(plan, index_at, index, count);
  }
};

inline constexpr int kTileThreads = 128;

// Blocks: how many a multiprocessor should hold, and so the registers of a thread.
template <typename Format, typename D, typename H, typename Row, int Blocks>
__global__ void __launch_bounds__(kTileThreads, Blocks)
    pool_tiles(const __grid_constant__ PoolPlan<int> plan) {
  using Bits = typename Format::Bits;
  using W = typename Row::Axis;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kTileThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = place_of(plan, item, Row::kSlicesLast);
  const std::int64_t channel = place.slice * (Row::kSlicesLast ? kChannels : 1);
  const int3 first{place.d * D::kWindows, place.h * H::kWindows, place.w * W::kWindows};
  TilePool<Format, D, H, Row> tile{plan, first.x * D::kStride - D::kPadding,
                                   first.y * H::kStride - H::kPadding, first.z * W::kStride - W::kPadding};
  cuda::wait_for_kernel_before();
  tile.look(cuda::keep(static_cast<const Bits*>(plan.self) + plan.from.slice(place.n, channel)));
  const int3 count{plan.d.out - first.x, plan.h.out - first.y, plan.w.out - first.z};
  if (!tile.is_plain(count)) {
    const int3 windows{D::kWindows, H::kWindows, W::kWindows};
    for (int i = 0; i < (Row::kSlicesLast ? kChannels : 1); ++i)
      pool_tile_slowly<Format>(plan, place.n, channel + i, first, windows);
    return;
  }
  const std::int64_t slice = plan.to.slice(place.n, channel);
  const std::int64_t index_slice = plan.index_to.slice(place.n, channel);
#pragma unroll
  for (int d = 0; d < D::kWindows; ++d) {
#pragma unroll
    for (int h = 0; h < H::kWindows; ++h) {
      if ((d >= count.x) | (h >= count.y)) continue;
      const std::int64_t at = plan.to.place(first.x + d, first.y + h, first.z);
      tile.write_row(d, h, slice + at, index_slice + at, count.z);
    }
  }
}

}  // namespace cairn::max_pool
