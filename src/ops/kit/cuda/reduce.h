#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "ops/kit/cuda/reduce.cuh"
#include "ops/kit/cuda/resampling.h"

namespace cairn::cuda {

// A kernel for so many taps along W and targets of a source. Of lines whose elements lie apart there are
// fewer.
struct ReduceKernel {
  int taps, most;
  Line line;

  // A window in whole packs may have some elements more at either end.
  int fits() const { return taps - (line_pack(line) - 1); }
};
inline constexpr ReduceKernel kReduceKernels[] = {
    {4, 2, Line::kUnit},     {12, 2, Line::kPacks}, {12, 2, Line::kPairs},  {16, 2, Line::kPacks},
    {20, 4, Line::kPairs},   {24, 4, Line::kPacks}, {8, 2, Line::kUnit},    {24, 2, Line::kUnit},
    {8, 4, Line::kUnit},     {24, 4, Line::kUnit},  {4, 2, Line::kStrided}, {8, 4, Line::kStrided},
    {24, 4, Line::kStrided},
};
// Windows that move by less than a pack to the next share packs, and are better read as they are. Pairs are
// for elements of 16 bits, and not for gradients. H200, FLOAT16: aa-224 0.098 ms, in packs 0.119; ca-224
// 0.158 and 0.171.
inline bool reads_line(const Resampling& it, Line line) {
  const View5& from = it.from;
  const int pack = line_pack(line);
  if (pack == 1) return (from.w == 1) == (line == Line::kUnit);
  return (line == Line::kPacks || (it.element == 2 && !it.backward)) && it.sources(it.w) % pack == 0 &&
         it.sources(it.w) >= 3 * it.targets(it.w) && from.w == 1 &&
         in_packs(from.data, it.element, pack, {from.n, from.c, from.d, from.h});
}

// The first of these, or -1.
inline int reduce_kernel(const Resampling& it, const FilterAxis& march) {
  const double taps = most_taps(it.w, it.backward);
  const double most = most_taps(march, !it.backward);
  const auto suits = [&](const ReduceKernel& kernel) {
    return reads_line(it, kernel.line) && taps <= kernel.fits() && most <= kernel.most &&
           kernel.taps <= it.sources(it.w);
  };
  const auto* found = std::find_if(std::begin(kReduceKernels), std::end(kReduceKernels), suits);
  return found == std::end(kReduceKernels) ? -1 : static_cast<int>(found - std::begin(kReduceKernels));
}

// Whether every source goes somewhere, so that none is walked over for nothing.
inline bool uses_all_sources(const Resampling& it, const FilterAxis& axis) {
  return it.backward || axis.filter == Filter::kAntialiasedLinear || axis.filter == Filter::kAntialiasedCubic;
}

inline const char* why_not_reduce(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  const MarchAxes axes(it);
  if (!axes.middle.keeps_values()) return "three axes are resampled";
  if (!uses_all_sources(it, axes.march)) return "sources may go nowhere";
  if (it.sources(axes.march) < it.targets(axes.march)) return "there are more targets than sources";
  const int kernel = reduce_kernel(it, axes.march);
  if (kernel < 0) return "a target has more than 24 taps, a source goes to more than 4, or there are fewer";
  const auto& [taps, most, line] = kReduceKernels[kernel];
  return why_not_room({{it.sources(axes.march), most}, {it.targets(it.w), taps}});
}

template <typename In, typename Out, bool kBackward, int kAt = 0>
cudaError_t start_reduce(int chosen, const auto& start) {
  if constexpr (kAt < std::size(kReduceKernels)) {
    constexpr ReduceKernel kKernel = kReduceKernels[kAt];
    if (chosen != kAt) return start_reduce<In, Out, kBackward, kAt + 1>(chosen, start);
    if constexpr (kKernel.line == Line::kPairs && (sizeof(In) != 2 || kBackward)) {
      return cudaErrorInvalidValue;
    } else {
      return start(reduce_rows<In, Out, kKernel.taps, kKernel.most, kKernel.line, kBackward>);
    }
  } else {
    return cudaErrorInvalidValue;
  }
}

template <typename In, typename Out, bool kBackward>
cudaError_t run_reduce(const Resampling& it, const CudaLaunch& launch) {
  const MarchAxes axes(it);
  const int chosen = reduce_kernel(it, axes.march);
  const ReduceKernel& kernel = kReduceKernels[chosen];
  TableMaker tables(launch.scratch->of_tables);
  ReducePlan plan{};
  plan.march = tables.make(axes.march, !kBackward, kernel.most);
  plan.w = tables.make(it.w, kBackward, kernel.taps, line_pack(kernel.line));
  if (const cudaError_t error = tables.fill(launch.stream); error != cudaSuccess) return error;
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = march_strides(it.from, axes.flat);
  plan.to_by = march_strides(it.to, axes.flat);
  plan.sources = static_cast<int>(it.sources(axes.march));
  plan.targets = static_cast<int>(it.targets(axes.march));
  const std::int64_t threads = it.n * it.c * it.targets(axes.middle) * it.targets(it.w);
  const std::int64_t strip = strip_length(plan.targets, threads, launch);
  plan.strip = static_cast<int>(strip);
  const std::int64_t count = divide_up(plan.targets, strip);
  plan.grid = {it.c, Size3{count, it.targets(axes.middle), it.targets(it.w)}};
  plan.items = static_cast<int>(threads * count);
  plan.slices_last = it.c > 1 && it.to.c == 1;
  const auto start = [&](auto kernel) {
    return start_kernel(kernel, plan, divide_up(plan.items, kReduceRowsThreads), kReduceRowsThreads, 0,
                        launch.stream);
  };
  return start_reduce<In, Out, kBackward>(chosen, start);
}

}  // namespace cairn::cuda
