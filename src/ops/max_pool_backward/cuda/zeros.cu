#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/methods.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

namespace cairn::max_pool_backward {
namespace {

constexpr unsigned kBlockThreads = 256;
constexpr unsigned kPackBytes = 16;
constexpr std::int64_t kMostWindows = kBlockThreads;  // of a plane
constexpr std::int64_t kCellsOfWindow = 32;
constexpr int kChunkBytes = 16 << 10;  // of a block

struct ZerosPlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  cuda::Strides<std::int64_t> output_strides, index_strides, input_strides;
  cuda::Divider<std::uint32_t> by_chunks, by_c, out_h, out_w;
  int plane_size;    // cells
  unsigned windows;  // of a plane, at most kBlockThreads
  bool channels_last;
  cuda::FaultSink faults;
};

// The cells that windows chose, and what they add to them.
struct Chosen {
  int cells[kMostWindows];
  float values[kMostWindows];
};

// Windows of the lanes that share their cell with others: the warp looks for those, one lane's after the
// other's. True where a lane's window is the first of its cell's, which then have this sum.
__device__ bool sum_shared(const Chosen& chosen, unsigned windows, bool shares, int cell, float& sum) {
  const unsigned lane = threadIdx.x % kWarp;
  bool is_first = false;
  for (unsigned waiting = __ballot_sync(kAllLanes, shares); waiting != 0; waiting &= waiting - 1) {
    const int asker = __ffs(static_cast<int>(waiting)) - 1;
    const int wanted = __shfl_sync(kAllLanes, cell, asker);
    float total = 0;
    int first = -1;
    for (unsigned base = 0; base < windows; base += kWarp) {
      for (unsigned mates = __ballot_sync(kAllLanes, chosen.cells[base + lane] == wanted); mates != 0;
           mates &= mates - 1) {
        const int window = static_cast<int>(base) + __ffs(static_cast<int>(mates)) - 1;
        if (first < 0) first = window;
        total += chosen.values[window];
      }
    }
    if (static_cast<int>(lane) != asker) continue;
    is_first = first == static_cast<int>(threadIdx.x);
    sum = total;
  }
  return is_first;
}

// A block owns a chunk of a plane and makes it in shared memory: zeros first, while what windows chose is on
// its way, then a sum wherever an index points. Written once, in packs: coming back to zeros that have left
// the cache would read them again.
template <typename T, typename Index>
__global__ void __launch_bounds__(kBlockThreads) write_zeros(const __grid_constant__ ZerosPlan plan) {
  constexpr int kCount = kPackBytes / sizeof(T);
  __shared__ Chosen chosen;
  __shared__ uint4 chunk_packs[kChunkBytes / kPackBytes];
  T* chunk = reinterpret_cast<T*>(chunk_packs);
  cuda::let_next_kernel_come();
  const unsigned window = threadIdx.x;
  const std::uint32_t plane = plan.by_chunks.divide(blockIdx.x);
  const int begin = static_cast<int>(plan.by_chunks.rest(blockIdx.x, plane)) * (kChunkBytes / sizeof(T));
  const int end = min(begin + static_cast<int>(kChunkBytes / sizeof(T)), plan.plane_size);
  const auto n = static_cast<std::int64_t>(plan.by_c.divide(plane));
  const auto c = static_cast<std::int64_t>(plan.by_c.rest(plane, static_cast<std::uint32_t>(n)));
  T* to = plan.input_strides.slice_of(static_cast<T*>(plan.grad_input), n, c);
  const auto* from = plan.output_strides.slice_of(static_cast<const T*>(plan.grad_output), n, c) +
                     cuda::flat_place<std::uint32_t>(plan.output_strides, window, plan.out_h, plan.out_w);
  const auto* indices = plan.index_strides.slice_of(static_cast<const Index*>(plan.indices), n, c) +
                        cuda::flat_place<std::uint32_t>(plan.index_strides, window, plan.out_h, plan.out_w);
  cuda::wait_for_kernel_before();
  const bool there = window < plan.windows;
  const Index index = there ? *indices : Index{-1};
  const T value = there ? *from : cuda::narrow<T>(0.0F);
  for (unsigned i = threadIdx.x; i < kChunkBytes / kPackBytes; i += kBlockThreads)
    chunk_packs[i] = {0, 0, 0, 0};
  const bool inside = index >= 0 && index < plan.plane_size;
  chosen.cells[window] = inside ? static_cast<int>(index) : -1;
  chosen.values[window] = cuda::widen(value);
  if (!inside && index != -1 && begin == 0) {
    const std::int64_t position =
        plan.channels_last ? (n * plan.windows + window) * static_cast<std::int64_t>(plan.by_c.divisor()) + c
                           : std::int64_t{plane} * plan.windows + window;
    cuda::report_fault(plan.faults, position, index, plan.plane_size);
  }
  __syncthreads();
  // How many windows chose a cell is counted in its own place. Most are alone there.
  const bool here = index >= begin && index < end;
  const int place = here ? static_cast<int>(index) - begin : 0;
  constexpr int kEach = sizeof(unsigned) / sizeof(T);
  auto* counts = reinterpret_cast<unsigned*>(chunk_packs) + place / kEach;
  const int shift = place % kEach * 16;
  if (here) atomicAdd(counts, 1U << shift);
  __syncthreads();
  const unsigned sharing = here ? (*counts >> shift) & 0xFFFFU : 0;
  __syncthreads();
  float sum = 0 + cuda::widen(value);
  if (sum_shared(chosen, plan.windows, sharing > 1, begin + place, sum) || sharing == 1)
    chunk[place] = cuda::narrow<T>(sum);
  __syncthreads();
  const int packed = (end - begin) / kCount * kCount;
  for (int i = static_cast<int>(threadIdx.x) * kCount; i < packed; i += kBlockThreads * kCount)
    *reinterpret_cast<uint4*>(to + begin + i) = chunk_packs[i / kCount];
  for (int i = packed + static_cast<int>(threadIdx.x); i < end - begin; i += kBlockThreads)
    to[begin + i] = chunk[i];
}

// Of a plane.
std::int64_t chunks_of(const Plan& plan) {
  return cuda::divide_up(plan.in.count() * static_cast<std::int64_t>(size_of(plan.type)), kChunkBytes);
}

}  // namespace

const char* why_not_zeros(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const std::int64_t cells = plan.in.count();
  const std::int64_t windows = plan.out.count();
  if (windows == 0 || plan.n * plan.c == 0) return "there are no windows";
  if (windows > kMostWindows || windows * kCellsOfWindow > cells) return "planes have many windows";
  const bool apart = plan.stride.d >= plan.kernel.d && plan.stride.h >= plan.kernel.h &&
                     plan.stride.w >= plan.kernel.w;  // an uneven axis has a stride of 0
  if (!apart && chunks_of(plan) == 1) return "windows overlap in small planes";
  if (!cuda::are_narrow({cells, plan.n * plan.c * chunks_of(plan)})) return "places need 64 bits";
  const View5& to = plan.grad_input;
  if (!is_dense(to, plan.in)) return "there are gaps between the cells of a plane";
  const int size = static_cast<int>(size_of(plan.type));
  return cuda::in_packs(to.data, size, kPackBytes / static_cast<unsigned>(size), {to.n, to.c})
             ? nullptr
             : "planes do not begin with a pack of 16 bytes";
}

cudaError_t run_zeros(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  const std::int64_t chunks = chunks_of(plan);
  const ZerosPlan zeros{.grad_output = plan.grad_output.data,
                        .indices = plan.indices.data,
                        .grad_input = plan.grad_input.data,
                        .output_strides = cuda::strides_of<std::int64_t>(plan.grad_output),
                        .index_strides = cuda::strides_of<std::int64_t>(plan.indices),
                        .input_strides = cuda::strides_of<std::int64_t>(plan.grad_input),
                        .by_chunks = Divider(chunks),
                        .by_c = Divider(plan.c),
                        .out_h = Divider(plan.out.h),
                        .out_w = Divider(plan.out.w),
                        .plane_size = static_cast<int>(plan.in.count()),
                        .windows = static_cast<unsigned>(plan.out.count()),
                        .channels_last = plan.channels_last,
                        .faults = cuda::fault_sink(launch)};
  return by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return cuda::start_kernel(write_zeros<T, Index>, zeros, plan.n * plan.c * chunks, kBlockThreads, 0,
                              launch.stream);
  });
}

}  // namespace cairn::max_pool_backward
