#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "ops/candidate.h"
#include "ops/kit/cuda/views.h"
#include "ops/upsample_nearest_backward/cuda/candidates.h"
#include "ops/upsample_nearest_backward/cuda/staged.cuh"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

template <typename Coord>
Strides<Coord> strides_of(const View5& view) {
  return {view.n, view.c, static_cast<Coord>(view.d), static_cast<Coord>(view.h), static_cast<Coord>(view.w)};
}

template <typename Coord>
Axis<Coord> axis_of(std::int64_t in, std::int64_t out, float scale) {
  return {static_cast<Coord>(in), static_cast<Coord>(out), scale};
}

bool fits_int(const Plan& plan) {
  const auto fits = [](const View5& view, const Size3& size) {
    constexpr std::int64_t kMost = 1 << 29;  // rows are read two at a time, so a little beyond is computed
    return std::max({size.d, size.h, size.w}) < kMost && size.d * view.d < kMost && size.h * view.h < kMost &&
           size.w * view.w < kMost;
  };
  return plan.n * plan.c * plan.in.count() < INT32_MAX - kThreads && fits(plan.grad_out, plan.out) &&
         fits(plan.grad_input, plan.in);
}

template <typename Coord>
cudaError_t start(void (*kernel)(SumPlan<Coord>), const SumPlan<Coord>& plan,
                  const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, (plan.items + kThreads - 1) / kThreads, kThreads, 0, launch.stream);
}

// Whether every address `base + multiples of strides` starts a whole pack.
template <typename T>
bool packs(const void* base, std::initializer_list<std::int64_t> strides) {
  constexpr int kCount = 16 / sizeof(T);
  return reinterpret_cast<std::uintptr_t>(base) % 16 == 0 &&
         std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s % kCount == 0; });
}

// Nothing where rows do not come in packs, or a block would have too much or too little to do.
template <typename T>
std::optional<cudaError_t> start_staged(const SumPlan<int>& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = 16 / sizeof(T);
  constexpr int kRoom = (30 << 10) / 16;  // packs; seven blocks on a multiprocessor
  constexpr int kFewestCells = 2 * kStagedThreads;
  const Strides<int>& from = plan.from;
  if (plan.w.in > plan.w.out || plan.w.out % kCount != 0 ||
      !packs<T>(plan.grad_out, {from.n, from.c, from.d, from.h}))
    return std::nullopt;
  StagedPlan staged{};
  staged.sums = plan;
  staged.packs = plan.w.out / kCount;
  const int packs_of_row = static_cast<int>(std::ceil(plan.d.scale)) * staged.packs;
  // Some cells have a position more than the scale tells, some one less.
  const auto most_cells = static_cast<int>(
      std::min(static_cast<float>(plan.h.in), static_cast<float>(kRoom / packs_of_row - 2) / plan.h.scale));
  if (most_cells < 1) return std::nullopt;
  const int blocks_h = (plan.h.in + most_cells - 1) / most_cells;
  staged.cells_h = (plan.h.in + blocks_h - 1) / blocks_h;
  if (staged.cells_h * plan.w.in < kFewestCells) return std::nullopt;
  staged.room = (static_cast<int>(static_cast<float>(staged.cells_h) * plan.h.scale) + 2) * packs_of_row;
  staged.rows_follow = from.h == plan.w.out;
  staged.by_packs = cuda::Divider<std::uint32_t>(staged.packs);
  staged.sums.by_inner = cuda::Divider<std::uint32_t>(1);
  staged.sums.by_h = cuda::Divider<std::uint32_t>(blocks_h);
  const std::int64_t blocks = plan.items / (std::int64_t{plan.h.in} * plan.w.in) * blocks_h;
  const std::size_t bytes = staged.room * sizeof(uint4) + (plan.w.in + staged.cells_h) * sizeof(Span);
  return cuda::start_kernel(plan.w.has_few(2) ? sum_staged_boxes<T, 2> : sum_staged_boxes<T, kSmall>, staged,
                            blocks, kStagedThreads, bytes, launch.stream);
}

template <typename T, int Count, bool ChannelsLast, typename Coord>
cudaError_t start_cells(const SumPlan<Coord>& plan, const cuda::CudaLaunch& launch) {
  if constexpr (sizeof(Coord) == 4) {
    if constexpr (!ChannelsLast) {
      if (plan.from.w == 1 && plan.d.has_few(kSmall) && plan.h.has_few(kSmall) && plan.w.has_few(kSmall)) {
        if constexpr (sizeof(T) == 2) {
          if (const auto staged = start_staged<T>(plan, launch)) return *staged;
        }
        SumPlan<Coord> cells = plan;
        const Coord along_h = (plan.h.in + kCells - 1) / kCells;
        cells.by_h = typename SumPlan<Coord>::Divider(along_h);
        cells.items = plan.items / plan.h.in * along_h;
        return plan.w.has_few(2) ? start(sum_small_boxes<T, 2>, cells, launch)
                                 : start(sum_small_boxes<T, kSmall>, cells, launch);
      }
    }
    if (plan.w.has_few(1)) return start(sum_cells<T, Count, 1, ChannelsLast, Coord>, plan, launch);
    if (plan.w.has_few(2)) return start(sum_cells<T, Count, 2, ChannelsLast, Coord>, plan, launch);
    if (plan.w.has_few(4)) return start(sum_cells<T, Count, 4, ChannelsLast, Coord>, plan, launch);
  }
  return start(sum_cells<T, Count, 0, ChannelsLast, Coord>, plan, launch);
}

template <typename T, typename Coord>
cudaError_t launch_sized(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = 16 / sizeof(T);
  SumPlan<Coord> result{};
  result.grad_out = plan.grad_out.data;
  result.grad_input = plan.grad_input.data;
  result.d = axis_of<Coord>(plan.in.d, plan.out.d, plan.scale_d);
  result.h = axis_of<Coord>(plan.in.h, plan.out.h, plan.scale_h);
  result.w = axis_of<Coord>(plan.in.w, plan.out.w, plan.scale_w);
  result.from = strides_of<Coord>(plan.grad_out);
  result.to = strides_of<Coord>(plan.grad_input);
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  using Divider = typename SumPlan<Coord>::Divider;
  result.by_w = Divider(plan.in.w);
  result.by_h = Divider(plan.in.h);
  result.by_d = Divider(plan.in.d);
  result.by_c = Divider(plan.c);
  const auto spread = [&](std::int64_t inner, std::int64_t outer) {
    result.by_inner = Divider(inner);
    result.items = static_cast<Coord>(plan.n * plan.in.d * plan.in.h * outer * inner);
  };

  const bool channels_last = plan.c > 1 && from.c == 1 && to.c == 1;
  if (channels_last && plan.c % kCount == 0 &&
      packs<T>(plan.grad_out.data, {from.n, from.d, from.h, from.w}) &&
      packs<T>(plan.grad_input.data, {to.n, to.d, to.h, to.w})) {
    spread(plan.c / kCount, plan.in.w);
    return start_cells<T, kCount, true>(result, launch);
  }
  if (channels_last) {
    spread(plan.c, plan.in.w);
    return start_cells<T, 1, true>(result, launch);
  }
  const bool whole_rows = from.w == 1 && to.w == 1 && plan.in.w % kCount == 0 &&
                          packs<T>(plan.grad_out.data, {from.n, from.c, from.d, from.h}) &&
                          packs<T>(plan.grad_input.data, {to.n, to.c, to.d, to.h});
  if (whole_rows && (result.w.is_regular(1) || result.w.is_regular(2))) {
    spread(plan.in.w / kCount, plan.c);
    return result.w.is_regular(1) ? start(sum_rows<T, 1, Coord>, result, launch)
                                  : start(sum_rows<T, 2, Coord>, result, launch);
  }
  spread(plan.in.w, plan.c);
  return start_cells<T, 1, false>(result, launch);
}

template <typename T>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  return fits_int(plan) ? launch_sized<T, int>(plan, launch) : launch_sized<T, std::int64_t>(plan, launch);
}

cudaError_t launch(const Plan& given, const cuda::CudaLaunch& launch) {
  if (given.n * given.c * given.in.count() == 0) return cudaSuccess;
  Plan plan = given;
  plan.grad_out = counted_strides(plan.grad_out, plan.n, plan.c, plan.out);
  plan.grad_input = counted_strides(plan.grad_input, plan.n, plan.c, plan.in);
  switch (plan.type) {
    case DataType::kFloat:
      return launch_typed<float>(plan, launch);
    case DataType::kFloat16:
      return launch_typed<__half>(plan, launch);
    case DataType::kBf16:
      return launch_typed<__nv_bfloat16>(plan, launch);
    case DataType::kDouble:
      return launch_typed<double>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::upsample_nearest_backward
