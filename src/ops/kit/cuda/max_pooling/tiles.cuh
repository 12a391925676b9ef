#pragma once

#include "ops/kit/cuda/max_pooling/window.cuh"

// Window shapes known at compile time, rows along W: a thread looks at a tile of windows. It finds the best
// of each row of taps once, and of those the best of each window.
namespace cairn::max_pooling {

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
    const int in = plan.axes.w.in;
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
      const bool inside = there & (static_cast<unsigned>(at) < static_cast<unsigned>(plan.axes.w.in));
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

// The windows of a tile with one d; the thread marches along D, and keeps what it knows of the slabs that the
// next windows cover too.
template <typename Format, typename D, typename H, typename Row>
struct TilePool {
  using W = typename Row::Axis;
  using Bits = typename Format::Bits;
  static constexpr int kWords = Row::kWords;
  static constexpr int kCount = kWords * Format::kLanes;  // windows or channels that are written together
  static constexpr int kKept = D::kKernel > D::kStride ? D::kKernel - D::kStride : 0;  // slabs
  using Found = Best[H::kWindows][kWords];

  const PoolPlan<int>& plan;
  const Bits* plane;
  int start_h, start_w;  // the first cell of the first window
  std::uint32_t seen;
  Found slabs[D::kKernel];
  Found best;

  __device__ void look_at_row(bool slab_there, const Bits* slab, int row, Best (&found)[kWords]) {
    const int h = start_h + row;
    Row cells;
    cells.load(plan, slab + h * plan.from.h, start_w,
               slab_there & (static_cast<unsigned>(h) < static_cast<unsigned>(plan.axes.h.in)));
    seen = cells.suspect(seen);
#pragma unroll
    for (int word = 0; word < kWords; ++word) {
      found[word] = {cells.tap(word, 0), offset_of<Format>(plan, row, 0), 0};
#pragma unroll
      for (int tap = 1; tap < W::kKernel; ++tap)
        take<Format>(found[word], {cells.tap(word, tap), offset_of<Format>(plan, row, tap), 0});
    }
  }

  __device__ void look_at_slab(int d, Found& found) {
    const bool there = static_cast<unsigned>(d) < static_cast<unsigned>(plan.axes.d.in);
    const Bits* slab = plane + d * plan.from.d;
#pragma unroll
    for (int row = 0; row < H::kCells; ++row) {
      Best in_row[kWords];
      look_at_row(there, slab, row, in_row);
#pragma unroll
      for (int h = 0; h < H::kWindows; ++h) {
#pragma unroll
        for (int word = 0; word < kWords; ++word) {
          if (H::begins(h, row)) {
            found[h][word] = in_row[word];
          } else if (H::covers(h, row)) {
            take<Format>(found[h][word], in_row[word]);
          }
        }
      }
    }
  }

  __device__ void begin(int window) {
    seen = 0;
#pragma unroll
    for (int slab = 0; slab < kKept; ++slab)
      look_at_slab(window * D::kStride - D::kPadding + slab, slabs[slab]);
  }

  __device__ void look(int window) {
#pragma unroll
    for (int slab = kKept; slab < D::kKernel; ++slab)
      look_at_slab(window * D::kStride - D::kPadding + slab, slabs[slab]);
#pragma unroll
    for (int h = 0; h < H::kWindows; ++h) {
#pragma unroll
      for (int word = 0; word < kWords; ++word) {
        best[h][word] = slabs[0][h][word];
#pragma unroll
        for (int slab = 1; slab < D::kKernel; ++slab)
          take_slab<Format>(plan, best[h][word], slabs[slab][h][word], slab);
#pragma unroll
        for (int slab = 0; slab < kKept; ++slab) slabs[slab][h][word] = slabs[slab + D::kStride][h][word];
      }
    }
  }

  // False where something is not a finite number, or no tap of a window beats the padding. `count` windows
  // of the tile exist along H and W.
  __device__ bool is_plain(int2 count) const {
    bool plain = !Format::is_nan(seen);
#pragma unroll
    for (int h = 0; h < H::kWindows; ++h) {
      if (h >= count.x) continue;
#pragma unroll
      for (int word = 0; word < kWords; ++word) {
        const std::uint32_t value = best[h][word].value;
        const bool all = Row::kWhole || (word + 1) * Format::kLanes <= count.y;
        if (all) plain &= Format::all_larger(value, Format::kLowest * Format::kEach);
        if (!all && word * Format::kLanes < count.y)
          plain &= Format::to_float(static_cast<Bits>(value)) > Format::to_float(Format::kLowest);
      }
    }
    return plain;
  }

  // The windows of a row, side by side: `count` of them exist. `first` is the index of the first one's first
  // tap.
  __device__ void write_row(int h, int first, std::int64_t at, std::int64_t index_at, int count) const {
    std::uint32_t words[kWords];
#pragma unroll
    for (int word = 0; word < kWords; ++word) words[word] = best[h][word].value;
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
    if constexpr (cuda::kFinds<Format>) {
      int index[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        const int word = i / Format::kLanes;
        const int lane = i % Format::kLanes;
        index[i] = index_of<Format>(plan, best[h][word], lane, first + Row::shift(word, lane));
      }
      write_indices<Row::kWhole>(plan, index_at, index, count);
    }
  }
};

inline constexpr int kTileThreads = 128;

// Blocks: how many a multiprocessor should hold, and so the registers of a thread.
template <typename Format, typename D, typename H, typename Row, int Blocks>
__global__ void __launch_bounds__(kTileThreads, Blocks)
    pool_tiles(const __grid_constant__ PoolPlan<int> plan) {
  using Bits = typename Format::Bits;
  using W = typename Row::Axis;
  constexpr int kSlices = Row::kSlicesLast ? kChannels : 1;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kTileThreads + threadIdx.x);
  if (item >= plan.items) return;
  const cuda::Place<int> place = plan.place_of(item, Row::kSlicesLast);
  const std::int64_t channel = place.slice * kSlices;
  const int first_h = place.h * H::kWindows;
  const int first_w = place.w * W::kWindows;
  const int2 count{plan.axes.h.out - first_h, plan.axes.w.out - first_w};
  cuda::wait_for_kernel_before();
  TilePool<Format, D, H, Row> tile{
      plan, cuda::keep(static_cast<const Bits*>(plan.self) + plan.from.slice(place.n, channel)),
      first_h * H::kStride - H::kPadding, first_w * W::kStride - W::kPadding};
  const auto pool_at = [&](int d) {
    tile.look(d);
    if (!tile.is_plain(count)) {
      for (int i = 0; i < kSlices; ++i)
        pool_tile_slowly<Format>(plan, place.n, channel + i, int3{d, first_h, first_w},
                                 int3{1, H::kWindows, W::kWindows});
      return;
    }
    const int first =
        ((d * D::kStride - D::kPadding) * plan.axes.h.in + tile.start_h) * plan.axes.w.in + tile.start_w;
    const std::int64_t slice = plan.to.slice(place.n, channel);
    const std::int64_t index_slice = plan.index_to.slice(place.n, channel);
#pragma unroll
    for (int h = 0; h < H::kWindows; ++h) {
      if (h >= count.x) continue;
      const std::int64_t at = plan.to.place(d, first_h + h, first_w);
      tile.write_row(h, first, slice + at, index_slice + at, count.y);
    }
  };
  tile.begin(place.d * plan.march);
  if constexpr (TilePool<Format, D, H, Row>::kKept == 0) {
    pool_at(place.d);
  } else {
    const int end = min(plan.axes.d.out, (place.d + 1) * plan.march);
#pragma unroll 1
    for (int d = place.d * plan.march; d < end; ++d) pool_at(d);
  }
}

}  // namespace cairn::max_pooling
