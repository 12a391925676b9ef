#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/mean_pool_backward/cuda/methods.h"

namespace cairn::mean_pool_backward {
namespace {

constexpr int kThreads = 256;
constexpr int kPackBytes = 16;
constexpr int kPacks = 8;  // of a thread

template <typename Sum>
struct SpreadPlan {
  const void* grad_output;
  void* grad_input;
  std::int64_t n, c;  // strides of grad_output
  Sum divisor;
  cuda::Divider<std::uint32_t> by_taps, by_c;
  std::uint32_t taps;
  std::uint32_t cells;  // in all
};

// What a plane's cells are, filling a word.
template <typename T>
__device__ auto word_of(T share) {
  if constexpr (sizeof(T) == 2) {
    unsigned short bits;
    memcpy(&bits, &share, sizeof(bits));
    return bits * 0x10001U;
  } else {
    return share;
  }
}

// A pack of which `left` cells are of one plane, the rest of the next.
template <typename T, typename Word>
__device__ auto pack_of(Word one, Word next, unsigned left) {
  constexpr unsigned kWords = kPackBytes / sizeof(Word);
  constexpr unsigned kEach = sizeof(Word) / sizeof(T);
  cuda::Pack<Word, kWords> pack;
#pragma unroll
  for (unsigned i = 0; i < kWords; ++i) {
    pack.at[i] = left >= (i + 1) * kEach ? one : next;
    if constexpr (kEach == 2)
      if (left == 2 * i + 1) pack.at[i] = __byte_perm(one, next, 0x7610);
  }
  return pack;
}

// Planes that follow each other, of one window each: a block computes the shares of its planes once. A pack
// of cells lies in one plane or in two.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    spread_shares(const __grid_constant__ SpreadPlan<cuda::Sum<T>> plan) {
  using Word = decltype(word_of(T{}));
  constexpr unsigned kCount = kPackBytes / sizeof(T);
  constexpr unsigned kCells = kThreads * kPacks * kCount;
  __shared__ Word shares[kCells / kCount + 2];
  cuda::let_next_kernel_come();
  const unsigned begin = blockIdx.x * kCells;
  const unsigned end = min(begin + kCells, plan.cells);
  const unsigned first = plan.by_taps.divide(begin);
  const unsigned last = plan.by_taps.divide(end - 1);
  cuda::wait_for_kernel_before();
  for (unsigned plane = first + threadIdx.x; plane <= last; plane += kThreads) {
    const unsigned n = plan.by_c.divide(plane);
    const T gradient = static_cast<const T*>(
        plan.grad_output)[n * plan.n + static_cast<std::int64_t>(plan.by_c.rest(plane, n)) * plan.c];
    shares[plane - first] = word_of(cuda::narrow<T>(0 + cuda::widen(gradient) / plan.divisor));
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kPacks; ++i) {
    const unsigned cell = begin + (i * kThreads + threadIdx.x) * kCount;
    if (cell >= end) return;
    const unsigned plane = plan.by_taps.divide(cell);
    const unsigned left = plan.taps - plan.by_taps.rest(cell, plane);
    const auto pack = pack_of<T>(shares[plane - first], shares[plane - first + 1], left);
    T* to = static_cast<T*>(plan.grad_input) + cell;
    if (cell + kCount <= end) {
      cuda::store_pack(reinterpret_cast<Word*>(to), pack);
    } else {
      // One by one, the first of either word: an index would put the pack into memory.
      for (unsigned k = 0; k < end - cell; ++k)
        memcpy(to + k, &shares[plane - first + (k < left ? 0 : 1)], sizeof(T));
    }
  }
}

}  // namespace

const char* why_not_spread(const Plan& plan) {
  const std::int64_t taps = plan.w.in;
  const std::int64_t planes = plan.n * plan.c;
  if (planes == 0) return "there are no windows";
  const bool whole = cuda::is_along_w(plan) && plan.w.is_whole() && plan.divisor.is_one();
  if (!whole || !is_dense(plan.grad_input, plan.n, plan.c, {1, 1, taps}))
    return "windows are not planes that follow each other";
  if (taps < kPackBytes / static_cast<std::int64_t>(size_of(plan.type))) return "planes are less than a pack";
  if (planes > INT32_MAX / 2 / taps) return "places need 64 bits";
  return cuda::in_packs(plan.grad_input.data, 1, kPackBytes, {}) ? nullptr : "cells do not begin with a pack";
}

cudaError_t run_spread(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_real_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    using Sum = cuda::Sum<T>;
    const std::int64_t cells = plan.n * plan.c * plan.w.in;
    const SpreadPlan<Sum> spread{.grad_output = plan.grad_output.data,
                                 .grad_input = plan.grad_input.data,
                                 .n = plan.grad_output.n,
                                 .c = plan.grad_output.c,
                                 .divisor = static_cast<Sum>(plan.divisor.given[0]),
                                 .by_taps = cuda::Divider<std::uint32_t>(plan.w.in),
                                 .by_c = cuda::Divider<std::uint32_t>(plan.c),
                                 .taps = static_cast<std::uint32_t>(plan.w.in),
                                 .cells = static_cast<std::uint32_t>(cells)};
    constexpr int kBlock = kThreads * kPacks * kPackBytes / static_cast<int>(sizeof(T));
    return cuda::start_kernel(spread_shares<T>, spread, cuda::divide_up(cells, kBlock), kThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::mean_pool_backward
