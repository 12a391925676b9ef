#include <algorithm>
#include <numeric>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/fault.cuh"
#include "ops/kit/cuda/shared_memory.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/methods.h"
#include "ops/max_pool_backward/cuda/warps.cuh"

namespace cairn::max_pool_backward {
namespace {

constexpr unsigned kBlockThreads = 256;
constexpr std::int64_t kPackBytes = 16;
constexpr std::int64_t kMostWindows = kBlockThreads;  // of a plane
constexpr std::int64_t kCellsOfWindow = 32;
constexpr std::int64_t kFewWindows = 64;
constexpr std::int64_t kPlanesBytes = 32 << 10;  // of planes that share a block

struct ZerosPlan {
  const void* grad_output;
  const void* indices;
  void* grad_input;
  cuda::Strides<std::int64_t> output_strides, index_strides, input_strides;
  cuda::Divider<std::uint32_t> by_chunks, by_c, by_windows, out_h, out_w;
  int plane_size;               // cells
  unsigned windows;             // of a plane, at most kBlockThreads
  unsigned planes, all_planes;  // of a block, in all
  int chunk;                    // cells of a block, of one plane or of all of its planes
  bool channels_last;
  cuda::FaultSink faults;
};

// The cells that windows chose, and what they add to them.
struct Chosen {
  int cells[kMostWindows];
  float values[kMostWindows];
  unsigned sharers[kBlockThreads / kWarp];  // the windows whose cell others chose too, a bit each
};

// The sum of a cell that several windows of a plane chose, in their order. True where this window is the
// first of them. `begin` and `end` are the windows of its plane; bits of its neighbours' may come with them.
__device__ bool sum_shared(const Chosen& chosen, unsigned begin, unsigned end, float& sum) {
  const int cell = chosen.cells[threadIdx.x];
  float total = 0;
  bool is_first = true;
  for (unsigned word = begin / kWarp; word * kWarp < end; ++word) {
    for (unsigned left = chosen.sharers[word]; left != 0; left &= left - 1) {
      const unsigned window = word * kWarp + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
      if (chosen.cells[window] != cell) continue;
      is_first = is_first && window >= threadIdx.x;
      total += chosen.values[window];
    }
  }
  sum = total;
  return is_first;
}

template <typename T>
__device__ void write_packs(T* to, const uint4* packs, int cells) {
  constexpr int kCount = kPackBytes / sizeof(T);
  const int packed = cells / kCount * kCount;
  for (int i = static_cast<int>(threadIdx.x) * kCount; i < packed; i += kBlockThreads * kCount)
    *reinterpret_cast<uint4*>(to + i) = packs[i / kCount];
  for (int i = packed + static_cast<int>(threadIdx.x); i < cells; i += kBlockThreads)
    to[i] = reinterpret_cast<const T*>(packs)[i];
}

// A block owns some planes, or a chunk of one, and makes them in shared memory: zeros first, while what
// windows chose is on its way, then a sum wherever an index points. Written once, in packs: coming back to
// zeros that have left the cache would read them again.
template <typename T, typename Index, bool Several>
__global__ void __launch_bounds__(kBlockThreads, 2048 / kBlockThreads)
    write_zeros(const __grid_constant__ ZerosPlan plan) {
  constexpr int kCount = kPackBytes / sizeof(T);
  __shared__ Chosen chosen;
  CAIRN_SHARED_MEMORY(uint4, chunk_packs);
  T* chunk = reinterpret_cast<T*>(chunk_packs);
  cuda::let_next_kernel_come();
  const std::uint32_t owner = plan.by_chunks.divide(blockIdx.x);
  const int begin = static_cast<int>(plan.by_chunks.rest(blockIdx.x, owner)) * plan.chunk;
  const std::uint32_t first = owner * plan.planes;
  const auto planes = static_cast<int>(min(plan.planes, plan.all_planes - first));
  const int cells = Several ? planes * plan.plane_size : min(plan.chunk, plan.plane_size - begin);
  const auto in_block = static_cast<int>(plan.by_windows.divide(threadIdx.x));
  const std::uint32_t window = plan.by_windows.rest(threadIdx.x, static_cast<std::uint32_t>(in_block));
  const std::uint32_t plane = first + static_cast<std::uint32_t>(in_block);
  const auto n = static_cast<std::int64_t>(plan.by_c.divide(plane));
  const auto c = static_cast<std::int64_t>(plan.by_c.rest(plane, static_cast<std::uint32_t>(n)));
  const auto* from = plan.output_strides.slice_of(static_cast<const T*>(plan.grad_output), n, c) +
                     cuda::flat_place<std::uint32_t>(plan.output_strides, window, plan.out_h, plan.out_w);
  const auto* indices = plan.index_strides.slice_of(static_cast<const Index*>(plan.indices), n, c) +
                        cuda::flat_place<std::uint32_t>(plan.index_strides, window, plan.out_h, plan.out_w);
  cuda::wait_for_kernel_before();
  const bool there = in_block < planes;
  const Index index = there ? *indices : Index{-1};
  const T value = there ? *from : cuda::narrow<T>(0.0F);
  for (int i = static_cast<int>(threadIdx.x) * kCount; i < cells; i += kBlockThreads * kCount)
    chunk_packs[i / kCount] = {0, 0, 0, 0};
  const bool inside = index >= 0 && index < plan.plane_size;
  if (!inside && index != -1 && begin == 0) {
    const std::int64_t position =
        plan.channels_last ? (n * plan.windows + window) * static_cast<std::int64_t>(plan.by_c.divisor()) + c
                           : std::int64_t{plane} * plan.windows + window;
    cuda::report_fault(plan.faults, position, index, plan.plane_size);
  }
  const bool here = inside && (Several || (index >= begin && index < begin + cells));
  const int place = here ? static_cast<int>(index) - begin + in_block * plan.plane_size : 0;
  chosen.cells[threadIdx.x] = place;
  chosen.values[threadIdx.x] = cuda::widen(value);
  __syncthreads();
  // How many windows chose a cell is counted in its own place. Most are alone there.
  constexpr int kEach = sizeof(unsigned) / sizeof(T);
  auto* counts = reinterpret_cast<unsigned*>(chunk_packs) + place / kEach;
  const int shift = place % kEach * 16;
  if (here) atomicAdd(counts, 1U << shift);
  __syncthreads();
  const bool shares = here && ((*counts >> shift) & 0xFFFFU) > 1;
  const unsigned sharers = __ballot_sync(kAllLanes, shares);
  if (threadIdx.x % kWarp == 0) chosen.sharers[threadIdx.x / kWarp] = sharers;
  __syncthreads();
  float sum = 0 + cuda::widen(value);
  bool writes = here;
  if (shares) {
    const unsigned mates = static_cast<unsigned>(in_block) * plan.windows;
    writes = sum_shared(chosen, mates, mates + plan.windows, sum);
  }
  if (writes) chunk[place] = cuda::narrow<T>(sum);
  __syncthreads();
  const auto at_n = static_cast<std::int64_t>(plan.by_c.divide(first));
  const auto at_c = static_cast<std::int64_t>(plan.by_c.rest(first, static_cast<std::uint32_t>(at_n)));
  T* to = plan.input_strides.slice_of(static_cast<T*>(plan.grad_input), at_n, at_c) + begin;
  write_packs(to, chunk_packs, cells);
}

// How planes are dealt out to blocks: several that follow each other, which begin and end with a pack, or a
// chunk of one.
struct ZerosSizes {
  std::int64_t chunks = 1;  // of a plane
  std::int64_t planes = 1;  // of a block
  std::int64_t chunk;       // cells
  bool several = false;
  std::int64_t size;

  explicit ZerosSizes(const Plan& plan) : chunk(plan.in.count()), size(size_of(plan.type)) {
    const std::int64_t group = kPackBytes / std::gcd<std::int64_t>(kPackBytes, chunk * size);
    const std::int64_t most = std::min(kMostWindows / plan.out.count(), kPlanesBytes / (chunk * size));
    several = most >= 2 && most >= group && is_dense(plan.grad_input, plan.n, plan.c, plan.in);
    if (several) {
      planes = most / group * group;
      chunk *= planes;
    } else {
      // Every block of a plane looks at all of its windows.
      const std::int64_t bytes = (plan.out.count() > kFewWindows ? 32 : 16) << 10;
      if (chunk * size > bytes) {
        chunks = cuda::divide_up(chunk * size, bytes);
        chunk = bytes / size;
      }
    }
  }
  std::int64_t blocks(const Plan& plan) const { return cuda::divide_up(plan.n * plan.c, planes) * chunks; }
  std::int64_t bytes() const { return cuda::divide_up(chunk * size, kPackBytes) * kPackBytes; }
};

}  // namespace

const char* why_not_zeros(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  const std::int64_t cells = plan.in.count();
  const std::int64_t windows = plan.out.count();
  if (windows == 0 || plan.n * plan.c == 0) return "there are no windows";
  if (windows > kMostWindows || windows * kCellsOfWindow > cells) return "planes have many windows";
  const ZerosSizes sizes(plan);
  if (!cuda::are_narrow({cells, plan.n * plan.c * sizes.chunks})) return "places need 64 bits";
  const bool apart =
      plan.stride.d >= plan.kernel.d && plan.stride.h >= plan.kernel.h && plan.stride.w >= plan.kernel.w;
  if (!apart && !sizes.several && sizes.chunks == 1) return "windows overlap in planes that share no block";
  const View5& to = plan.grad_input;
  if (!is_dense(to, plan.in)) return "there are gaps between the cells of a plane";
  const int size = static_cast<int>(size_of(plan.type));
  const bool packs =
      sizes.several ? cuda::in_packs(to.data, 1, kPackBytes, {})
                    : cuda::in_packs(to.data, size, kPackBytes / static_cast<unsigned>(size), {to.n, to.c});
  return packs ? nullptr : "planes do not begin with a pack of 16 bytes";
}

cudaError_t run_zeros(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Divider = cuda::Divider<std::uint32_t>;
  const ZerosSizes sizes(plan);
  const ZerosPlan zeros{.grad_output = plan.grad_output.data,
                        .indices = plan.indices.data,
                        .grad_input = plan.grad_input.data,
                        .output_strides = cuda::strides_of<std::int64_t>(plan.grad_output),
                        .index_strides = cuda::strides_of<std::int64_t>(plan.indices),
                        .input_strides = cuda::strides_of<std::int64_t>(plan.grad_input),
                        .by_chunks = Divider(sizes.chunks),
                        .by_c = Divider(plan.c),
                        .by_windows = Divider(plan.out.count()),
                        .out_h = Divider(plan.out.h),
                        .out_w = Divider(plan.out.w),
                        .plane_size = static_cast<int>(plan.in.count()),
                        .windows = static_cast<unsigned>(plan.out.count()),
                        .planes = static_cast<unsigned>(sizes.planes),
                        .all_planes = static_cast<unsigned>(plan.n * plan.c),
                        .chunk = static_cast<int>(sizes.chunk),
                        .channels_last = plan.channels_last,
                        .faults = cuda::fault_sink(launch)};
  return by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    const auto kernel = sizes.several ? write_zeros<T, Index, true> : write_zeros<T, Index, false>;
    return cuda::start_kernel(kernel, zeros, sizes.blocks(plan), kBlockThreads,
                              static_cast<std::size_t>(sizes.bytes()), launch.stream);
  });
}

}  // namespace cairn::max_pool_backward
