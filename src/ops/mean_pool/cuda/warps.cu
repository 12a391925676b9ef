#include <algorithm>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/mean_axis.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool/cuda/methods.h"
#include "ops/mean_pool/cuda/row_packs.h"

namespace cairn::mean_pool {
namespace {

constexpr int kThreads = 256;
constexpr int kLanes = static_cast<int>(long_sum::kLanes);
constexpr int kRun = static_cast<int>(long_sum::kRun);
constexpr unsigned kAll = 0xFFFFFFFFU;

// Lanes of a sum that follow each other belong to one thread; kLanes / Count threads have all of them.
template <int Count>
constexpr int kTeam = kLanes / Count;
template <int Count>
__device__ int place_in_team() {
  return static_cast<int>(threadIdx.x) % kTeam<Count>;
}

// All lanes, one after the other. The whole team has the result.
template <int Count>
__device__ float fold(const float (&lanes)[Count]) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kTeam<Count>; ++i) {
    float next = sum;
#pragma unroll
    for (const float lane : lanes) next += lane;
    sum = __shfl_sync(kAll, next, i, kTeam<Count>);
  }
  return sum;
}

// The sum of a run: next_pack(t) are Count terms from term t on. They are fetched in turn, eight before the
// first is added.
constexpr int kBatch = 8;

template <typename T, int Count, typename NextPack>
__device__ void add_run(int count, float (&lanes)[Count], const NextPack& next_pack) {
  for (int t = place_in_team<Count>() * Count; t < count; t += kBatch * kLanes) {
    cuda::Pack<T, Count> packs[kBatch];
#pragma unroll
    for (int i = 0; i < kBatch; ++i) packs[i] = next_pack(t + i * kLanes);
#pragma unroll
    for (int i = 0; i < kBatch; ++i) {
#pragma unroll
      for (int k = 0; k < Count; ++k) lanes[k] += cuda::widen(packs[i].at[k]);
    }
  }
}

struct RunPlan : cuda::NarrowMeans<float> {
  float* runs;         // their sums, where a window has several, and behind them those of parts
  unsigned* tickets;   // of one window alone: its parts, then one for each part's blocks
  unsigned first;      // window
  unsigned runs_each;  // of a window
  cuda::Divider<std::uint32_t> by_runs;
};

struct Window {
  int n, c, d, h, w;
  cuda::Cells in_d, in_h, in_w;

  __device__ Window(const RunPlan& plan, unsigned number) {
    cuda::Digits<std::uint32_t> digits{number};
    w = static_cast<int>(digits.next(plan.by_w));
    h = static_cast<int>(digits.next(plan.by_h));
    d = static_cast<int>(digits.next(plan.by_d));
    c = static_cast<int>(digits.next(plan.by_c));
    n = static_cast<int>(digits.left);
    in_d = plan.d.cells(d);
    in_h = plan.h.cells(h);
    in_w = plan.w.cells(w);
  }
  __device__ int taps() const { return in_d.size() * in_h.size() * in_w.size(); }

  template <typename T>
  __device__ void store(const RunPlan& plan, float sum) const {
    static_cast<T*>(plan.written)[n * plan.to.n + c * plan.to.c + plan.to.place(d, h, w)] =
        cuda::narrow<T>(sum / plan.divisor_of(d, h, w, taps()));
  }
};

// Goes from tap to tap of a window, so many at a time.
struct Walk {
  int d, h, w;  // in the window
  int step_d, step_h, step_w, height, width;

  __device__ Walk(const Window& window, int tap, int step)
      : height(window.in_h.size()), width(window.in_w.size()) {
    split(tap, d, h, w);
    split(step, step_d, step_h, step_w);
  }
  __device__ void advance() {
    w += step_w;
    h += step_h;
    d += step_d;
    if (w >= width) w -= width, ++h;
    if (h >= height) h -= height, ++d;
  }
  __device__ void next() {
    if (++w == width) w = 0, ++h;
    if (h == height) h = 0, ++d;
  }

 private:
  __device__ void split(int tap, int& at_d, int& at_h, int& at_w) const {
    const auto row = static_cast<unsigned>(tap) / static_cast<unsigned>(width);
    at_w = tap - static_cast<int>(row) * width;
    at_d = static_cast<int>(row / static_cast<unsigned>(height));
    at_h = static_cast<int>(row) - at_d * height;
  }
};

__device__ float sum_lanes(const float* lanes) {
  float sum = 0;
#pragma unroll 16
  for (int i = 0; i < kLanes; ++i) sum += lanes[i];
  return sum;
}

// Whether this is the last of some blocks to come here: then what all of them wrote before is there. The
// count goes back to zero in the same step, so that a launch that was spoiled by another one beside it, on a
// stream that is really two, does not spoil the next.
__device__ bool comes_last(unsigned* ticket, unsigned blocks) {
  __threadfence();
  const bool last = atomicInc(ticket, blocks - 1) == blocks - 1;
  __threadfence();
  return last;
}

// The last block of a part sums its runs, and the last of those sums the parts: nobody waits for another
// kernel. H200, g2-16384 FLOAT16: 132.6 us, and 138.2 with a kernel of its own for that.
template <typename T, int Teams>
__device__ __noinline__ void fold_parts(const RunPlan& plan) {
  constexpr unsigned kPartBlocks = kRun / Teams;
  __shared__ float terms[kRun], lanes[kLanes];
  __shared__ bool is_last;
  const auto count = static_cast<int>(plan.runs_each);
  const unsigned part = blockIdx.x / kPartBlocks;
  __syncthreads();
  if (threadIdx.x == 0)
    is_last = comes_last(plan.tickets + 1 + part, min(kPartBlocks, gridDim.x - part * kPartBlocks));
  __syncthreads();
  if (!is_last) return;
  const int begin = static_cast<int>(part) * kRun;
  const int there = min(kRun, count - begin);
  const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < kRun / kThreads; ++i) {
    const int term = thread + i * kThreads;
    if (term < there) terms[term] = __ldcg(plan.runs + begin + term);
  }
  __syncthreads();
  if (thread < kLanes) {
    float sum = 0;
#pragma unroll 8
    for (int term = thread; term < there; term += kLanes) sum += terms[term];
    lanes[thread] = sum;
  }
  __syncthreads();
  if (thread != 0) return;
  const unsigned parts = (gridDim.x - 1) / kPartBlocks + 1;
  float* sums = plan.runs + count;
  sums[part] = sum_lanes(lanes);
  if (!comes_last(plan.tickets, parts)) return;
  float sum = 0;
  for (unsigned i = 0; i < parts; ++i) sum += __ldcg(sums + i);
  Window(plan, 0).store<T>(plan, sum);
}

// How the terms of a run lie.
enum class Terms { kLine, kPacks, kAnywhere };

// Blocks that a multiprocessor has, so that loads under way have registers. H200, us with these and as the
// compiler chose: g2-16384 FLOAT16 132.6 and 147, g3-32to4 FLOAT16 36.4 and 38.
template <Terms Lie>
constexpr int kBlocks = Lie == Terms::kLine ? 4 : 5;

// A team sums a run of a window.
template <typename T, int Count, Terms Lie>
__global__ void __launch_bounds__(kThreads, kBlocks<Lie>) sum_runs(const __grid_constant__ RunPlan plan) {
  constexpr int kTeams = kThreads / kTeam<Count>;
  cuda::let_next_kernel_come();
  const unsigned item = blockIdx.x * kTeams + threadIdx.x / kTeam<Count>;
  // A team beside the last sums the last one again: all threads of a warp take part in its folds.
  const unsigned last = min(item, plan.items - 1);
  const unsigned number = plan.by_runs.divide(last);
  const auto run = static_cast<int>(plan.by_runs.rest(last, number));
  const Window window(plan, plan.first + number);
  const int begin = run * kRun;
  const int count = min(kRun, window.taps() - begin);
  Walk walk(window, Lie == Terms::kLine ? 0 : begin + place_in_team<Count>() * Count, kLanes);
  cuda::wait_for_kernel_before();
  const T* self =
      cuda::keep(static_cast<const T*>(plan.read) + window.n * plan.from.n + window.c * plan.from.c +
                 plan.from.place(window.in_d.begin, window.in_h.begin, window.in_w.begin));
  const auto place = [&](const Walk& at) {
    return self + (at.d * plan.from.d + at.h * plan.from.h + at.w * plan.from.w);
  };
  float lanes[Count] = {};
  const auto next_place = [&](int t) {
    if constexpr (Lie == Terms::kLine) return self + (begin + t);
    const T* from = place(walk);
    walk.advance();
    return from;
  };
  if constexpr (Lie == Terms::kAnywhere) {
    add_run<T>(count, lanes, [&](int t) {
      cuda::Pack<T, Count> pack;
      Walk at = walk;
#pragma unroll
      for (int k = 0; k < Count; ++k, at.next()) pack.at[k] = cuda::load_if(t + k < count, place(at));
      walk.advance();
      return pack;
    });
  } else if (count % (kBatch * kLanes) == 0) {
    // The compiler keeps more plain loads on their way than loads with a condition.
    add_run<T>(count, lanes, [&](int t) { return cuda::load_pack<T, Count>(next_place(t)); });
  } else {
    add_run<T>(count, lanes, [&](int t) { return cuda::load_pack_if<T, Count>(t < count, next_place(t)); });
  }
  const float sum = fold<Count>(lanes);
  if (place_in_team<Count>() == 0 && item < plan.items) {
    if (plan.runs != nullptr) {
      plan.runs[item] = sum;
    } else {
      window.store<T>(plan, sum);
    }
  }
  if (plan.tickets != nullptr) fold_parts<T, kTeams>(plan);
}

// A block sums the runs of a window: runs of runs, where those are many. A thread has one lane of such a
// part: the sums lie in the cache, and what counts is how many of them are on their way at once.
constexpr int kMostParts = 16;  // at a time

template <typename T>
__global__ void __launch_bounds__(kMostParts* kLanes) sum_sums(const __grid_constant__ RunPlan plan) {
  constexpr int kTerms = kRun / kLanes;  // of a lane
  __shared__ float lanes[kMostParts][kLanes + 1];
  __shared__ float sums[kLanes];
  cuda::let_next_kernel_come();
  const Window window(plan, plan.first + blockIdx.x);
  const int count = (window.taps() - 1) / kRun + 1;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = static_cast<int>(threadIdx.x) / kLanes;
  const int groups = static_cast<int>(blockDim.x) / kLanes;
  cuda::wait_for_kernel_before();
  const float* runs = cuda::keep(plan.runs + blockIdx.x * plan.runs_each);
  const int parts = (count - 1) / kRun + 1;
  for (int first = 0; first < parts; first += groups) {
    const int begin = (first + group) * kRun;
    const int end = min(count, begin + kRun);
    float sum = 0;
    if (end - begin == kRun) {
#pragma unroll 32
      for (int i = 0; i < kTerms; ++i) sum += runs[begin + lane + i * kLanes];
    } else {
      for (int t = begin + lane; t < end; t += kLanes) sum += runs[t];
    }
    lanes[group][lane] = sum;
    __syncthreads();
    const auto part = static_cast<int>(threadIdx.x);
    if (part < groups && first + part < parts) {
      sums[first + part] = sum_lanes(lanes[part]);
    }
    __syncthreads();
  }
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int part = 0; part < parts; ++part) sum += sums[part];
  window.store<T>(plan, sum);
}

constexpr std::int64_t kMostTickets = cuda::StreamScratch::kTickets;
constexpr std::int64_t kMostRuns = cuda::StreamScratch::kTableBytes / sizeof(float);
// What fold_parts() wants: the runs, and a sum for each part of them.
static_assert((kMostTickets - 1) * (kRun + 1) <= kMostRuns);

std::int64_t most_taps(const Plan& plan) {
  return plan.d.most_cells() * plan.h.most_cells() * plan.w.most_cells();
}

}  // namespace

const char* why_not_warps(const Plan& plan) {
  if (const char* reason = cuda::why_not_narrow(plan, plan.self, plan.values)) return reason;
  if (most_taps(plan) <= long_sum::kLanes) return "windows have at most 64 taps";
  return most_taps(plan) <= kMostRuns * long_sum::kRun ? nullptr : "windows have too many runs";
}

cudaError_t run_warps(const Plan& plan, const cuda::CudaLaunch& launch) {
  RunPlan runs;
  static_cast<cuda::NarrowMeans<float>&>(runs) =
      cuda::narrow_means<float>(plan, plan.self, plan.values, plan.c, {plan.d.out, plan.h.out, plan.w.out});
  const std::int64_t each = (most_taps(plan) - 1) / long_sum::kRun + 1;
  const std::int64_t windows = runs.items;
  runs.runs = each > 1 ? reinterpret_cast<float*>(launch.scratch->of_tables) : nullptr;
  runs.runs_each = static_cast<unsigned>(each);
  runs.by_runs = cuda::Divider<std::uint32_t>(each);
  const std::int64_t parts = cuda::divide_up(each, kRun);
  const bool folds = windows == 1 && each > 1 && parts < kMostTickets;
  runs.tickets = folds ? launch.scratch->tickets : nullptr;
  const std::int64_t at_once = each > 1 ? kMostRuns / each : windows;
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    constexpr int kFull = 16 / sizeof(T);
    const bool packs = rows_are_packs(plan, kFull);
    const bool line = packs && cuda::is_along_w(plan);
    const auto kernel = line    ? sum_runs<T, kFull, Terms::kLine>
                        : packs ? sum_runs<T, kFull, Terms::kPacks>
                                : sum_runs<T, 2, Terms::kAnywhere>;
    const std::int64_t teams = kThreads / (packs ? kTeam<kFull> : kTeam<2>);
    for (std::int64_t first = 0; first < windows; first += at_once) {
      const std::int64_t count = std::min(at_once, windows - first);
      runs.first = static_cast<unsigned>(first);
      runs.items = static_cast<unsigned>(count * each);
      cudaError_t error =
          cuda::start_kernel(kernel, runs, cuda::divide_up(count * each, teams), kThreads, 0, launch.stream);
      if (error == cudaSuccess && each > 1 && !folds)
        error = cuda::start_kernel(sum_sums<T>, runs, count,
                                   static_cast<int>(std::min<std::int64_t>(parts, kMostParts)) * kLanes, 0,
                                   launch.stream);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

}  // namespace cairn::mean_pool
