#pragma once

#include "ops/kit/cuda/ptx.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.cuh"

// sum_small_boxes for small elements, whose rows a block brings to shared memory first: loaded one by one
// they would keep the L2 cache busy. A block sums some rows of cells.
namespace cairn::upsample_nearest_backward {

inline constexpr int kStagedThreads = 128;

struct StagedPlan {
  SumPlan<int> sums;  // by_h: blocks along H
  int cells_h;        // of a block
  int packs;          // of a row
  bool rows_follow;   // without gaps
  cuda::Divider<std::uint32_t> by_packs;
  int room;   // packs of shared memory before the spans
  int width;  // threads with columns side by side, or 0: cells in order
};

// A cell's positions along an axis: where the first lies in shared memory, and how many there are.
struct Span {
  static constexpr int kShift = 28;
  unsigned bits;

  __device__ static Span of(int place, int count) {
    return {static_cast<unsigned>(place) | static_cast<unsigned>(count) << kShift};
  }
  __device__ int place() const { return static_cast<int>(bits & ((1U << kShift) - 1)); }
  __device__ int count() const { return static_cast<int>(bits >> kShift); }
};

template <typename T>
__device__ void stage_rows(const StagedPlan& staged, const T* from, int depth, int rows, uint4* to) {
  constexpr int kCount = 16 / sizeof(T);
  const int packs = rows * staged.packs;
  for (int z = 0; z < depth; ++z, from += staged.sums.from.d, to += packs) {
    for (int i = static_cast<int>(threadIdx.x); i < packs; i += kStagedThreads) {
      int offset = i * kCount;
      if (!staged.rows_follow) {
        const auto row = static_cast<int>(staged.by_packs.divide(static_cast<unsigned>(i)));
        offset += row * (staged.sums.from.h - staged.packs * kCount);
      }
      cuda::copy_async(to + i, from + offset);
    }
  }
}

template <int Depth, int Taps, typename T>
__device__ cuda::Sum<T> sum_staged(const T* slab, int height, int width, int slab_pitch, int pitch) {
  constexpr int kCommon = 2;  // rows: a third is worth a branch
  cuda::Sum<T> sum = 0;
#pragma unroll
  for (int z = 0; z < Depth; ++z, slab += slab_pitch) {
    const T* row = slab;
#pragma unroll
    for (int y = 0; y < kSmall; ++y, row += pitch) {
      if (y >= kCommon && y >= height) break;
#pragma unroll
      for (int x = 0; x < Taps; ++x)
        if ((y < height) & (x < width)) sum += cuda::widen(row[x]);
    }
  }
  return sum;
}

// The cells of a block, whose rows and spans lie in shared memory; `to` is the first.
template <int Depth, int Taps, typename T>
__device__ void sum_cells_of_block(const StagedPlan& staged, const uint4* shared, int cells, int rows,
                                   T* to) {
  const SumPlan<int>& plan = staged.sums;
  const int pitch = plan.w.out;
  const auto* along_w = reinterpret_cast<const Span*>(shared + staged.room);
  const auto* along_h = along_w + plan.w.in;
  const auto sum_at = [&](int h, int w, Span span_w) {
    const Span span_h = along_h[h];
    const T* slab = reinterpret_cast<const T*>(shared) + span_h.place() + span_w.place();
    to[h * plan.to.h + w * plan.to.w] =
        cuda::narrow<T>(sum_staged<Depth, Taps>(slab, span_h.count(), span_w.count(), rows * pitch, pitch));
  };
  const auto thread = static_cast<int>(threadIdx.x);
  if (staged.width > 0) {
    const int row = thread / staged.width;
    const int rows_at_once = kStagedThreads / staged.width;
    if (row >= rows_at_once) return;
    for (int w = thread - row * staged.width; w < plan.w.in; w += staged.width) {
      const Span span_w = along_w[w];
      for (int h = row; h < cells; h += rows_at_once) sum_at(h, w, span_w);
    }
    return;
  }
  for (int i = thread; i < cells * plan.w.in; i += kStagedThreads) {
    const auto h = static_cast<int>(plan.by_w.divide(static_cast<unsigned>(i)));
    const int w = i - h * plan.w.in;
    sum_at(h, w, along_w[w]);
  }
}

template <typename T, int Taps>
__global__ void __launch_bounds__(kStagedThreads)
    sum_staged_boxes(const __grid_constant__ StagedPlan staged) {
  CAIRN_SHARED_MEMORY(uint4, shared);
  const SumPlan<int>& plan = staged.sums;
  const int thread = static_cast<int>(threadIdx.x);
  cuda::let_next_kernel_come();
  const Place<int> place = Place<int>::of<false>(plan, static_cast<int>(blockIdx.x));
  const int begin = place.h * staged.cells_h;
  const int cells = min(staged.cells_h, plan.h.in - begin);
  const int first_d = plan.d.low_of_few(place.d);
  const int depth = plan.d.low_of_few(place.d + 1) - first_d;
  const int first_h = plan.h.low_of_few(begin);
  const int rows = plan.h.low_of_few(begin + cells) - first_h;
  const T* from = static_cast<const T*>(plan.grad_out) + place.n * plan.from.n + place.c * plan.from.c +
                  first_d * plan.from.d + first_h * plan.from.h;
  cuda::wait_for_kernel_before();
  stage_rows(staged, from, depth, rows, shared);

  auto* along_w = reinterpret_cast<Span*>(shared + staged.room);
  auto* along_h = along_w + plan.w.in;
#pragma unroll 1
  for (int w = thread; w < plan.w.in; w += kStagedThreads) {
    const int low = plan.w.low_of_few(w);
    along_w[w] = Span::of(low, plan.w.low_of_few(w + 1) - low);
  }
#pragma unroll 1
  for (int h = thread; h < cells; h += kStagedThreads) {
    const int low = plan.h.low_of_few(begin + h);
    along_h[h] = Span::of((low - first_h) * plan.w.out, plan.h.low_of_few(begin + h + 1) - low);
  }
  cuda::wait_for_copies();
  __syncthreads();

  T* to = static_cast<T*>(plan.grad_input) + place.n * plan.to.n + place.c * plan.to.c + place.d * plan.to.d +
          begin * plan.to.h;
  if (depth == 3) return sum_cells_of_block<3, Taps>(staged, shared, cells, rows, to);
  if (depth == 2) return sum_cells_of_block<2, Taps>(staged, shared, cells, rows, to);
  if (depth == 1) return sum_cells_of_block<1, Taps>(staged, shared, cells, rows, to);
  sum_cells_of_block<0, Taps>(staged, shared, cells, rows, to);
}

}  // namespace cairn::upsample_nearest_backward
