#pragma once

#include <utility>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/max_pool_backward/cuda/boxes.h"

// Window shapes known at compile time: a thread keeps the sums of a tile of cells in registers and looks at
// the windows that cover them, in ascending order.
namespace cairn::max_pool_backward {

// One axis. Tiles start at multiples of Stride; window q of a tile starts q strides after the tile, less the
// padding.
template <int Kernel, int Stride, int Padding, int Tile>
struct TileAxis {
  static_assert(Tile % Stride == 0 && Padding < Kernel);
  static constexpr int kKernel = Kernel;
  static constexpr int kStride = Stride;
  static constexpr int kPadding = Padding;
  static constexpr int kTile = Tile;
  static constexpr int kOwn = Tile / Stride;  // windows 0 … kOwn - 1 are this tile's own
  static constexpr int kFirst =
      -((Kernel - 1 - Padding) / Stride);  // the windows that cover any of its cells
  static constexpr int kLast = (Tile - 1 + Padding) / Stride;
  static constexpr int kCount = kLast - kFirst + 1;

  static constexpr bool covers(int window, int cell) {
    const int tap = cell + Padding - window * Stride;
    return tap >= 0 && tap < Kernel;
  }
  static constexpr bool owns(int window) { return window >= 0 && window < kOwn; }
};

struct TilePlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  int in_d, in_h, in_w;
  int out_d, out_h, out_w;
  cuda::Strides<int> output_strides;  // of indices too, but for n and c
  std::int64_t index_n, index_c;
  cuda::Strides<int> input_strides;
  std::uint64_t index_limit;
  cuda::Divider<std::uint32_t> height, width;
  std::uint32_t items;
  cuda::Grid<std::uint32_t> grid;  // of tiles
  std::uint32_t c;
  bool whole_packs;  // rows of windows and of cells lie in whole packs
  cuda::Repairs repairs;
};

// The calls of body(i) for i = First … First + Count - 1, each with its own compile-time i.
template <int First, int Count, typename Body>
__device__ void unrolled(const Body& body) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (body(std::integral_constant<int, First + I>{}), ...); }
  (std::make_integer_sequence<int, Count>{});
}

// Whether the index, of a window that starts there, needs no repair.
template <typename D, typename H, typename W>
__device__ bool in_order(const TilePlan& plan, int index, int start_d, int start_h, int start_w) {
  const auto position = static_cast<std::uint32_t>(index);
  const std::uint32_t row = plan.width.divide(position);
  const int w = static_cast<int>(plan.width.rest(position, row));
  bool near = within(w, start_w, W::kKernel);
  if constexpr (D::kKernel == 1 && D::kStride == 1) {
    const int h = static_cast<int>(row) - start_d * plan.in_h;
    near &= within(h, start_h, H::kKernel) & within(h, 0, plan.in_h);
  } else {
    const std::uint32_t d = plan.height.divide(row);
    near &= within(static_cast<int>(plan.height.rest(row, d)), start_h, H::kKernel) &
            within(static_cast<int>(d), start_d, D::kKernel) &
            (position < static_cast<std::uint32_t>(plan.index_limit));
  }
  return near | (index == -1);
}

inline constexpr int kTileThreads = 128;
// Blocks that a multiprocessor should hold: where a cell has few bytes, occupancy counts for more than
// registers.
template <typename T>
inline constexpr int kTileBlocks = sizeof(T) < 4 ? 8 : 1;
inline constexpr int kTileChannels = 4;

// Adds a window's value to the cell of the tile that its index names; sum_at(d, h, w) is a cell's sum.
template <typename D, typename H, typename W, typename SumAt>
__device__ __forceinline__ void add_to_tile(const TilePlan& plan, int qd, int qh, int qw, int corner,
                                            int target, float more, const SumAt& sum_at) {
#pragma unroll
  for (int d = 0; d < D::kTile; ++d) {
#pragma unroll
    for (int h = 0; h < H::kTile; ++h) {
      if (!D::covers(qd, d) || !H::covers(qh, h)) continue;
      // A target that is no cell may wrap around, and is none of the row's then either.
      const auto row = static_cast<unsigned>(corner + (d * plan.in_h + h) * plan.in_w);
      const unsigned in_row = static_cast<unsigned>(target) - row;
#pragma unroll
      for (int w = 0; w < W::kTile; ++w)
        if (W::covers(qw, w) && in_row == static_cast<unsigned>(w)) sum_at(d, h, w) += more;
    }
  }
}

// The windows of a row that cover cells of a tile.
template <typename W>
struct WindowRow {
  int index[W::kCount];
  float value[W::kCount];

  // `row` is where the tile's first own window lies, which is number `window` of its row.
  template <typename T, typename Index>
  __device__ __forceinline__ void load(const TilePlan& plan, bool row_there, const Index* indices,
                                       const T* values, int row, int window) {
    const auto load_one = [&](auto qw) {
      const bool there = row_there & within(window + qw, 0, plan.out_w);
      index[qw - W::kFirst] = as_int(cuda::load_if<Index, kNone>(there, indices + (row + qw)));
      value[qw - W::kFirst] = cuda::widen(cuda::load_if(there, values + (row + qw)));
    };
    if (plan.whole_packs) {
      unrolled<W::kFirst, -W::kFirst>(load_one);
      unrolled<W::kOwn, W::kLast - W::kOwn + 1>(load_one);
      const auto some_indices = cuda::load_pack_if<Index, W::kOwn, kNone>(row_there, indices + row);
      const auto some_values = cuda::load_pack_if<T, W::kOwn>(row_there, values + row);
#pragma unroll
      for (int i = 0; i < W::kOwn; ++i) {
        index[i - W::kFirst] = as_int(some_indices.at[i]);
        value[i - W::kFirst] = cuda::widen(some_values.at[i]);
      }
    } else {
      unrolled<W::kFirst, W::kCount>(load_one);
    }
  }
};

// Writes a row of a tile's sums.
template <typename W, typename T>
__device__ __forceinline__ void write_row(const TilePlan& plan, int first_w, const float (&sums)[W::kTile],
                                          T* row) {
  cuda::Pack<T, W::kTile> pack;
#pragma unroll
  for (int w = 0; w < W::kTile; ++w) pack.at[w] = cuda::narrow<T>(sums[w]);
  if (plan.whole_packs) {
    cuda::store_pack(row, pack);
  } else {
#pragma unroll
    for (int w = 0; w < W::kTile; ++w)
      if (first_w + w < plan.in_w) row[w] = pack.at[w];
  }
}

// Rows along W: a tile is one pack of cells wide.
template <typename T, typename Index, typename D, typename H, typename W>
__global__ void __launch_bounds__(kTileThreads) sum_tiles(const __grid_constant__ TilePlan plan) {
  cuda::let_next_kernel_come();
  const std::uint32_t item = blockIdx.x * kTileThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.place_of<int, std::uint32_t>(item, false);
  const int first_d = place.d * D::kTile;
  const int first_h = place.h * H::kTile;
  const int first_w = place.w * W::kTile;
  cuda::wait_for_kernel_before();
  const T* values = cuda::keep(static_cast<const T*>(plan.grad_output) + place.n * plan.output_strides.n +
                               place.slice * plan.output_strides.c);
  const Index* indices = cuda::keep(static_cast<const Index*>(plan.indices) + place.n * plan.index_n +
                                    place.slice * plan.index_c);
  const int corner = (first_d * plan.in_h + first_h) * plan.in_w + first_w;

  float sums[D::kTile][H::kTile][W::kTile] = {};
  bool fine = true;
  unrolled<D::kFirst, D::kCount>([&](auto qd) {
    const int window_d = place.d * D::kOwn + qd;
    unrolled<H::kFirst, H::kCount>([&](auto qh) {
      const int window_h = place.h * H::kOwn + qh;
      const bool row_there = within(window_d, 0, plan.out_d) & within(window_h, 0, plan.out_h);
      const int row = window_d * plan.output_strides.d + window_h * plan.output_strides.h + place.w * W::kOwn;
      WindowRow<W> windows;
      windows.load(plan, row_there, indices, values, row, place.w * W::kOwn);
      unrolled<W::kFirst, W::kCount>([&](auto qw) {
        const int target = windows.index[qw - W::kFirst];
        const float more = windows.value[qw - W::kFirst];
        add_to_tile<D, H, W>(plan, qd, qh, qw, corner, target, more,
                             [&sums](int d, int h, int w) -> float& { return sums[d][h][w]; });
        if (D::owns(qd) && H::owns(qh) && W::owns(qw)) {
          fine &= in_order<D, H, W>(plan, target, window_d * D::kStride - D::kPadding,
                                    window_h * H::kStride - H::kPadding,
                                    (place.w * W::kOwn + qw) * W::kStride - W::kPadding);
        }
      });
    });
  });
  if (!fine) plan.repairs.add(place.n * plan.c + place.slice);

  T* to =
      static_cast<T*>(plan.grad_input) + place.n * plan.input_strides.n + place.slice * plan.input_strides.c;
#pragma unroll
  for (int d = 0; d < D::kTile; ++d) {
#pragma unroll
    for (int h = 0; h < H::kTile; ++h) {
      if ((first_d + d >= plan.in_d) | (first_h + h >= plan.in_h)) continue;
      T* row = to + static_cast<std::int64_t>(first_d + d) * plan.input_strides.d +
               static_cast<std::int64_t>(first_h + h) * plan.input_strides.h + first_w;
      write_row<W>(plan, first_w, sums[d][h], row);
    }
  }
}

// Channels side by side: a thread sums a tile of a pack of channels.
template <typename D, typename H, typename W>
struct ChannelTile {
  int first_d, first_h, first_w;
  float sums[D::kTile][H::kTile][W::kTile][kTileChannels];

  template <typename T>
  __device__ __forceinline__ void write(const TilePlan& plan, T* to) const {
#pragma unroll
    for (int d = 0; d < D::kTile; ++d) {
#pragma unroll
      for (int h = 0; h < H::kTile; ++h) {
#pragma unroll
        for (int w = 0; w < W::kTile; ++w) {
          if ((first_d + d >= plan.in_d) | (first_h + h >= plan.in_h) | (first_w + w >= plan.in_w)) continue;
          cuda::Pack<T, kTileChannels> pack;
#pragma unroll
          for (int i = 0; i < kTileChannels; ++i) pack.at[i] = cuda::narrow<T>(sums[d][h][w][i]);
          cuda::store_pack(to + plan.input_strides.place(first_d + d, first_h + h, first_w + w), pack);
        }
      }
    }
  }
};

template <typename T, typename Index, typename D, typename H, typename W>
__global__ void __launch_bounds__(kTileThreads, kTileBlocks<T>)
    sum_channel_tiles(const __grid_constant__ TilePlan plan) {
  constexpr int kChannels = kTileChannels;
  cuda::let_next_kernel_come();
  const std::uint32_t item = blockIdx.x * kTileThreads + threadIdx.x;
  if (item >= plan.items) return;
  const auto place = plan.grid.place_of<int, std::uint32_t>(item, true);
  ChannelTile<D, H, W> tile{place.d * D::kTile, place.h * H::kTile, place.w * W::kTile, {}};
  cuda::wait_for_kernel_before();
  const T* values = cuda::keep(static_cast<const T*>(plan.grad_output) + place.n * plan.output_strides.n +
                               place.slice * kChannels);
  const Index* indices =
      cuda::keep(static_cast<const Index*>(plan.indices) + place.n * plan.index_n + place.slice * kChannels);
  const int corner = (tile.first_d * plan.in_h + tile.first_h) * plan.in_w + tile.first_w;

  bool fine[kChannels] = {true, true, true, true};
  unrolled<D::kFirst, D::kCount>([&](auto qd) {
    const int window_d = place.d * D::kOwn + qd;
    unrolled<H::kFirst, H::kCount>([&](auto qh) {
      const int window_h = place.h * H::kOwn + qh;
      const bool row_there = within(window_d, 0, plan.out_d) & within(window_h, 0, plan.out_h);
      unrolled<W::kFirst, W::kCount>([&](auto qw) {
        const int window_w = place.w * W::kOwn + qw;
        const bool there = row_there & within(window_w, 0, plan.out_w);
        const int from = window_d * plan.output_strides.d + window_h * plan.output_strides.h +
                         window_w * plan.output_strides.w;
        const auto index = cuda::load_pack_if<Index, kChannels, kNone>(there, indices + from);
        const auto value = cuda::load_pack_if<T, kChannels>(there, values + from);
#pragma unroll
        for (int i = 0; i < kChannels; ++i) {
          const int target = as_int(index.at[i]);
          add_to_tile<D, H, W>(plan, qd, qh, qw, corner, target, cuda::widen(value.at[i]),
                               [&tile, i](int d, int h, int w) -> float& { return tile.sums[d][h][w][i]; });
          if (D::owns(qd) && H::owns(qh) && W::owns(qw)) {
            fine[i] &=
                in_order<D, H, W>(plan, target, window_d * D::kStride - D::kPadding,
                                  window_h * H::kStride - H::kPadding, window_w * W::kStride - W::kPadding);
          }
        }
      });
    });
  });
  for (int i = 0; i < kChannels; ++i)
    if (!fine[i]) plan.repairs.add(place.n * plan.c + place.slice * kChannels + i);
  tile.write(plan,
             static_cast<T*>(plan.grad_input) + place.n * plan.input_strides.n + place.slice * kChannels);
}

}  // namespace cairn::max_pool_backward
