#pragma once

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/max_pool_backward/cuda/anywhere.cuh"
#include "ops/max_pool_backward/cuda/boxes.h"

// Windows of stride 1, as many as cells, in planes without gaps: a window and the cell in its middle have the
// same position, so a tap is a distance between positions, and no row, column or border has to be known.
// Every window marks the cell that its index names with its tap's bit; most cells get no mark, and the few
// that do add up the windows that marked them, in ascending order. Which window marks first makes no
// difference.
namespace cairn::max_pool_backward {

template <int Depth, int Height, int Width>
struct MarkWindow {
  static constexpr int kDepth = Depth;
  static constexpr int kHeight = Height;
  static constexpr int kWidth = Width;
  static constexpr int kTaps = Depth * Height * Width;
  static_assert(kTaps <= 32);
};

struct MarkPlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  std::int64_t output_n, output_c, index_n, index_c, input_n, input_c;
  int row, slab;  // cells
  int plane;      // cells, and windows
  int tile;       // cells of a block
  int margin;     // windows before and after a tile that may mark its cells: 0 when it is the plane
  int reach;      // cells from the middle of a window to its last tap
  int distances;  // from the first tap to the last, and one more
  // Bytes of shared memory before them. Marks, never read, of twice the margin lie around those of the tile.
  int marks_at, values_at, stacks_at;
  cuda::Divider<std::uint32_t> by_tiles, by_c;
  bool whole_packs;    // planes start and end with whole packs
  bool channels_last;  // as Plan has it
  cuda::Repairs repairs;
  cuda::FaultSink faults;
};

inline constexpr int kMarkPack = 4;  // windows, or cells, that a lane takes at a time
inline constexpr int kMarkStep = kMarkPack * kWarp;
inline constexpr int kMarkStack = kWarp + kMarkStep;  // marked cells a warp may keep waiting
inline constexpr int kMostMarkWarps = 13;
inline constexpr int kMarkPacks = 4;  // that a lane takes in all, where there are warps enough
// Packs that a lane loads before it uses the first: what its registers hold.
template <typename T, typename Index>
inline constexpr int kMarkBatch = sizeof(Index) == 8 ? 3 : (sizeof(T) == 2 ? 5 : 4);
inline constexpr unsigned kNoTap = 0xff;

// The tap at each distance from a window's first cell. A pack of windows looks from its first window on:
// those below 0, and from `distances` on, are no taps.
template <typename Window>
__device__ void list_taps(const MarkPlan& plan, unsigned char* taps) {
  for (int i = threadIdx.x * 4; i < plan.distances + 2 * kMarkPack; i += blockDim.x * 4)
    *reinterpret_cast<unsigned*>(taps + i) = 0x01010101U * kNoTap;
  __syncthreads();
  if (threadIdx.x < Window::kTaps) {
    const int tap = threadIdx.x;
    const int h = tap / Window::kWidth % Window::kHeight;
    const int d = tap / Window::kWidth / Window::kHeight;
    taps[kMarkPack + d * plan.slab + h * plan.row + tap % Window::kWidth] = static_cast<unsigned char>(tap);
  }
}

// The sum of the windows that marked a cell; `values` ends with that of the window whose first tap it is.
template <typename Window, typename T>
__device__ float sum_of_marks(unsigned marks, const T* values, int row, int slab) {
  const auto* const bytes = reinterpret_cast<const char*>(values);
  const int row_bytes = row * static_cast<int>(sizeof(T));
  const int slab_bytes = slab * static_cast<int>(sizeof(T));
  float sum = 0.0F;
#pragma unroll
  for (int d = Window::kDepth - 1; d >= 0; --d) {
#pragma unroll
    for (int h = Window::kHeight - 1; h >= 0; --h) {
      const auto* const from = reinterpret_cast<const T*>(bytes - (d * slab_bytes + h * row_bytes));
#pragma unroll
      for (int w = Window::kWidth - 1; w >= 0; --w)
        if ((marks >> ((d * Window::kHeight + h) * Window::kWidth + w) & 1U) != 0)
          sum += cuda::widen(from[-w]);
    }
  }
  return sum;
}

// Loads the indices of a pack of windows, of which `left` are there, and keeps their values.
template <typename T, typename Index>
__device__ cuda::Pack<Index, kMarkPack> load_windows(const MarkPlan& plan, const Index* indices,
                                                     const T* values, T* kept, int left) {
  if (plan.whole_packs) {
    // The indices are waited for, the values are not.
    const auto pack = cuda::load_pack<Index, kMarkPack>(indices);
    cuda::start_copy<sizeof(T) * kMarkPack>(cuda::shared_address(kept), values);
    return pack;
  }
  cuda::Pack<Index, kMarkPack> pack;
#pragma unroll
  for (int j = 0; j < kMarkPack; ++j) {
    pack.at[j] = j < left ? indices[j] : Index{-1};
    if (j < left) kept[j] = values[j];
  }
  return pack;
}

// Marks the cells of a pack of windows; whether all is well with its indices. `from_first` is what an index
// has to be moved by to be a distance from the first tap of the pack's first window.
template <typename Index>
__device__ bool mark_pack(const MarkPlan& plan, const cuda::Pack<Index, kMarkPack>& index,
                          const unsigned char* taps, int from_first, unsigned marks) {
  unsigned tap[kMarkPack];
  unsigned target[kMarkPack];
  const auto farthest = static_cast<unsigned>(plan.distances + kMarkPack - 1);
#pragma unroll
  for (int j = 0; j < kMarkPack; ++j) {
    target[j] = static_cast<unsigned>(as_int(index.at[j]));
    tap[j] = taps[min(target[j] + static_cast<unsigned>(from_first), farthest) + (kMarkPack - j)];
  }
  const unsigned last = max(max(target[0], target[1]), max(target[2], target[3]));
  if ((((tap[0] | tap[1] | tap[2] | tap[3]) & 0x80U) == 0) & (last < static_cast<unsigned>(plan.plane))) {
    // Neighbours often have the same cell, and marks of one cell take turns.
    unsigned bits = 0;
#pragma unroll
    for (int j = 0; j < kMarkPack; ++j) {
      const unsigned bit = 1U << tap[j];
      bits = j > 0 && target[j] == target[j - 1] ? bits | bit : bit;
      if (j == kMarkPack - 1 || target[j] != target[j + 1])
        cuda::set_shared_bits(marks + target[j] * 4, bits);
    }
    return true;
  }
  bool fine = true;
  for (int j = 0; j < kMarkPack; ++j) {
    const bool near = (tap[j] != kNoTap) & (target[j] < static_cast<unsigned>(plan.plane));
    if (near) cuda::set_shared_bits(marks + target[j] * 4, 1U << tap[j]);
    fine &= near | (target[j] == ~0U);
  }
  return fine;
}

// The sums of a whole plane whose indices may point anywhere.
template <typename T, typename Index>
__device__ __noinline__ void sum_anywhere(const MarkPlan& plan, float* sums, const Index* indices,
                                          const T* values, std::uint32_t n, std::uint32_t c) {
  const int warps = blockDim.x / kWarp;
  const int run = (plan.plane + warps - 1) / warps;
  const int begin = static_cast<int>(threadIdx.x / kWarp) * run;
  add_anywhere<int>(
      sums + begin, begin, min(run, plan.plane - begin), plan.plane, plan.plane,
      [&](int window) -> std::int64_t { return indices[window]; },
      [&](int window) { return cuda::widen(values[window]); },
      [&](int window, std::int64_t index) {
        const std::int64_t channels = plan.by_c.divisor();
        const std::int64_t position = plan.channels_last
                                          ? (std::int64_t{n} * plan.plane + window) * channels + c
                                          : (n * channels + c) * plan.plane + window;
        cuda::report_fault(plan.faults, position, index, plan.plane);
      });
}

// Sums the cells of a tile that were marked; each warp does its own cells. A warp's stack holds those that
// wait until there is one for each lane.
template <typename Window, typename T>
__device__ void sum_tile(const MarkPlan& plan, unsigned* marks, const T* values, std::uint16_t* stack,
                         int cells) {
  const int lane = threadIdx.x % kWarp;
  const int stride = static_cast<int>(blockDim.x) * kMarkPack;
  // The compiler would compute it again at every use.
  const unsigned lanes_before = cuda::keep((1U << lane) - 1);
  int waiting = 0;
  for (int first = static_cast<int>(threadIdx.x / kWarp) * kMarkStep; first < cells; first += stride) {
    const int cell = first + lane * kMarkPack;
    cuda::Pack<unsigned, kMarkPack> found{};
    if (cell < cells) found = cuda::load_pack<unsigned, kMarkPack>(marks + cell);
#pragma unroll
    for (int j = 0; j < kMarkPack; ++j) {
      const bool marked = found.at[j] != 0;
      const unsigned with = __ballot_sync(kAllLanes, marked);
      cuda::store_shared_if(
          marked,
          cuda::shared_address(stack) + 2 * static_cast<unsigned>(waiting + __popc(with & lanes_before)),
          static_cast<std::uint16_t>(cell + j));
      waiting += __popc(with);
    }
    __syncwarp();
    const int enough = first + stride < cells ? kWarp : 1;
    for (; waiting >= enough; waiting -= kWarp) {
      const int next = waiting - 1 - lane;
      if (next < 0) continue;
      const int which = stack[next];
      marks[which] = __float_as_uint(sum_of_marks<Window>(marks[which], values + which, plan.row, plan.slab));
    }
    __syncwarp();
  }
}

template <typename T>
__device__ void write_tile(const MarkPlan& plan, const float* sums, T* to, int cells) {
  const int stride = static_cast<int>(blockDim.x) * kMarkPack;
  for (int cell = static_cast<int>(threadIdx.x) * kMarkPack; cell < cells; cell += stride) {
    const auto part = cuda::load_pack<float, kMarkPack>(sums + cell);
    cuda::Pack<T, kMarkPack> pack;
#pragma unroll
    for (int j = 0; j < kMarkPack; ++j) pack.at[j] = cuda::narrow<T>(part.at[j]);
    if (plan.whole_packs) {
      cuda::store_pack(to + cell, pack);
    } else {
#pragma unroll
      for (int j = 0; j < kMarkPack; ++j)
        if (cell + j < cells) to[cell + j] = pack.at[j];
    }
  }
}

// What a block looks at.
struct MarkTile {
  std::uint32_t plane, n, c;
  int begin, cells;
  int first_window, windows;

  __device__ static MarkTile of(const MarkPlan& plan, std::uint32_t block) {
    MarkTile tile;
    tile.plane = plan.by_tiles.divide(block);
    tile.n = plan.by_c.divide(tile.plane);
    tile.c = plan.by_c.rest(tile.plane, tile.n);
    tile.begin = static_cast<int>(plan.by_tiles.rest(block, tile.plane)) * plan.tile;
    tile.cells = min(plan.tile, plan.plane - tile.begin);
    tile.first_window = max(tile.begin - plan.margin, 0);
    tile.windows = min(tile.begin + tile.cells + plan.margin, plan.plane) - tile.first_window;
    return tile;
  }
};

// All windows of a tile mark their cells; whether all is well with the indices that the thread met.
template <typename T, typename Index>
__device__ __forceinline__ bool mark_tile(const MarkPlan& plan, const MarkTile& tile, const Index* indices,
                                          const T* values, const unsigned char* taps, const unsigned* marks,
                                          T* kept) {
  constexpr int kBatch = kMarkBatch<T, Index>;
  const int stride = static_cast<int>(blockDim.x) * kMarkPack;
  int window = static_cast<int>(threadIdx.x) * kMarkPack;
  int loaded = window;
  const T* values_from = values + window;
  const Index* indices_from = indices + window;
  T* keep_at = kept + window;
  cuda::Pack<Index, kMarkPack> packs[kBatch];
  const auto load = [&] {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (loaded < tile.windows)
        packs[i] = load_windows(plan, indices_from, values_from, keep_at, tile.windows - loaded);
      loaded += stride;
      indices_from += stride;
      values_from += stride;
      keep_at += stride;
    }
  };
  load();
  __syncthreads();
  bool fine = true;
  while (true) {
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
      if (window < tile.windows) {
        fine &= mark_pack(plan, packs[i], taps, plan.reach - tile.first_window - window,
                          cuda::shared_address(marks) - static_cast<unsigned>(tile.begin) * 4);
      }
      window += stride;
    }
    if (window >= tile.windows) break;
    load();
  }
  return fine;
}

template <typename T, typename Index, typename Window>
__global__ void __launch_bounds__(kMostMarkWarps* kWarp, 3)
    sum_marked(const __grid_constant__ MarkPlan plan) {
  CAIRN_SHARED_MEMORY(uint4, room);
  auto* const taps = reinterpret_cast<unsigned char*>(room);
  auto* const marks = reinterpret_cast<unsigned*>(taps + plan.marks_at);
  auto* const kept = reinterpret_cast<T*>(taps + plan.values_at);
  const int warp = threadIdx.x / kWarp;
  cuda::let_next_kernel_come();
  list_taps<Window>(plan, taps);
  for (int i = threadIdx.x * kMarkPack; i < plan.tile; i += blockDim.x * kMarkPack)
    *reinterpret_cast<uint4*>(marks + i) = uint4{};

  const MarkTile tile = MarkTile::of(plan, blockIdx.x);
  cuda::wait_for_kernel_before();
  const T* const values = static_cast<const T*>(plan.grad_output) +
                          (tile.n * plan.output_n + tile.c * plan.output_c + tile.first_window);
  const Index* const indices = static_cast<const Index*>(plan.indices) +
                               (tile.n * plan.index_n + tile.c * plan.index_c + tile.first_window);
  const bool fine = mark_tile(plan, tile, indices, values, taps, marks, kept);

  // The copies are there after this and a barrier.
  cuda::wait_for_started_copies();
  if (__syncthreads_or(!fine)) {
    if (tile.cells == plan.plane) {
      sum_anywhere(plan, reinterpret_cast<float*>(marks), indices, values, tile.n, tile.c);
      __syncthreads();
    } else {
      plan.repairs.add(tile.plane);
    }
  } else {
    sum_tile<Window>(plan, marks, kept + (tile.begin - tile.first_window + plan.reach),
                     reinterpret_cast<std::uint16_t*>(taps + plan.stacks_at) + warp * kMarkStack, tile.cells);
  }
  write_tile(plan, reinterpret_cast<const float*>(marks),
             static_cast<T*>(plan.grad_input) + (tile.n * plan.input_n + tile.c * plan.input_c + tile.begin),
             tile.cells);
}

}  // namespace cairn::max_pool_backward
