#include <array>
#include <optional>

#include "ops/candidate.h"
#include "ops/kit/cuda/views.h"
#include "ops/upsample_nearest/cuda/candidates.h"
#include "ops/upsample_nearest/cuda/copies.cuh"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {
namespace {

using cuda::divide_up;

constexpr int kPackBytes = 16;

// Which axis a thread steps along, and which one neighbouring threads lie on.
enum class Order { kRows, kChannels };

bool fits_int(const Plan& plan) {
  constexpr std::int64_t kMost = 1 << 29;
  return plan.c < kMost && cuda::plane_below(kMost, plan.self, plan.in) &&
         cuda::plane_below(kMost, plan.values, plan.out);
}

// `unit` elements of a lane are moved as one; they are neighbours in both tensors.
template <typename Coord>
CopyPlan<Coord> copy_plan(const Plan& plan, Order order, std::int64_t unit, int steps) {
  const auto axis = [unit](std::int64_t in, std::int64_t out, float scale, std::int64_t from,
                           std::int64_t to) {
    return Axis<Coord>{static_cast<Coord>(in), static_cast<Coord>(out), scale,
                       static_cast<Coord>(from / unit), static_cast<Coord>(to / unit)};
  };
  const View5& from = plan.self;
  const View5& to = plan.values;
  const Axis<Coord> d = axis(plan.in.d, plan.out.d, plan.scale_d, from.d, to.d);
  const Axis<Coord> h = axis(plan.in.h, plan.out.h, plan.scale_h, from.h, to.h);
  CopyPlan<Coord> result{};
  result.self = plan.self.data;
  result.values = plan.values.data;
  result.from_n = from.n / unit;
  result.to_n = to.n / unit;
  std::int64_t slices = 1;
  if (order == Order::kRows) {
    slices = plan.c;
    result.from_slice = from.c / unit;
    result.to_slice = to.c / unit;
    result.outer = axis(1, 1, 0.0F, 0, 0);
    result.middle = d;
    result.step = h;
    result.lane = axis(plan.in.w, plan.out.w, plan.scale_w, from.w, to.w);
  } else {
    result.outer = d;
    result.middle = h;
    result.step = axis(plan.in.w, plan.out.w, plan.scale_w, from.w, to.w);
    result.lane = axis(plan.c / unit, plan.c / unit, 0.0F, unit, unit);
  }
  using Divider = typename CopyPlan<Coord>::Divider;
  result.by_lanes = Divider(result.lane.out);
  result.by_steps = Divider(divide_up(result.step.out, steps));
  result.by_middle = Divider(result.middle.out);
  result.by_outer = Divider(result.outer.out);
  result.by_slices = Divider(slices);
  return result;
}

template <typename Coord>
std::int64_t items_of(const CopyPlan<Coord>& plan, std::int64_t n) {
  return n * static_cast<std::int64_t>(plan.by_slices.divisor()) *
         static_cast<std::int64_t>(plan.by_outer.divisor()) *
         static_cast<std::int64_t>(plan.by_middle.divisor()) *
         static_cast<std::int64_t>(plan.by_steps.divisor()) *
         static_cast<std::int64_t>(plan.by_lanes.divisor());
}

template <typename Coord>
cudaError_t start(void (*kernel)(CopyPlan<Coord>), CopyPlan<Coord> plan, std::int64_t n,
                  const cuda::CudaLaunch& launch) {
  const std::int64_t items = items_of(plan, n);
  plan.items = static_cast<Coord>(items);
  return cuda::start_kernel(kernel, plan, divide_up(items, kThreads), kThreads, 0, launch.stream);
}

template <typename Unit>
cudaError_t launch_units(const Plan& plan, Order order, std::int64_t unit, const cuda::CudaLaunch& launch) {
  if (fits_int(plan)) {
    const CopyPlan<int> small = copy_plan<int>(plan, order, unit, kSteps);
    if (items_of(small, plan.n) < INT32_MAX - kThreads)
      return start(copy_units<Unit, int>, small, plan.n, launch);
  }
  return start(copy_units<Unit, std::int64_t>, copy_plan<std::int64_t>(plan, order, unit, kSteps), plan.n,
               launch);
}

// Whole rows, or nothing when they do not come in packs.
template <typename T>
std::optional<cudaError_t> launch_rows(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = kPackBytes / sizeof(T);
  const View5& from = plan.self;
  const View5& to = plan.values;
  if (from.w != 1 || to.w != 1 || plan.out.w == 1 || !fits_int(plan) ||
      !cuda::in_packs(to.data, sizeof(T), kCount, {plan.out.w, to.n, to.c, to.d, to.h}))
    return std::nullopt;
  const auto start_kernel = [&](void (*kernel)(CopyPlan<int>), int steps) -> std::optional<cudaError_t> {
    CopyPlan<int> rows = copy_plan<int>(plan, Order::kRows, 1, steps);
    rows.by_lanes = CopyPlan<int>::Divider(plan.out.w / kCount);
    if (items_of(rows, plan.n) >= INT32_MAX - kThreads) return std::nullopt;
    return start(kernel, rows, plan.n, launch);
  };
  const Axis<int> w{static_cast<int>(plan.in.w), static_cast<int>(plan.out.w), plan.scale_w, 1, 1};
  const auto sources_in_packs = [&](int factor) {
    return w.is_regular(factor) &&
           cuda::in_packs(from.data, sizeof(T), kCount / factor, {from.n, from.c, from.d, from.h});
  };
  if (sources_in_packs(1)) return start_kernel(widen_rows<T, 1>, kRowSteps<T, 1>);
  if (sources_in_packs(2)) return start_kernel(widen_rows<T, 2>, kRowSteps<T, 2>);
  if constexpr (sizeof(T) == 2) {
    if (plan.scale_w <= Picks::kMostScale && plan.out.w <= Picks::kMostPositions &&
        cuda::in_packs(from.data, sizeof(T), 2, {plan.in.w, from.n, from.c, from.d, from.h}))
      return start_kernel(pick_rows<T>, kRowSteps<T, 0>);
  }
  return start_kernel(widen_rows<T, 0>, kRowSteps<T, 0>);
}

template <typename T>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr int kCount = kPackBytes / sizeof(T);
  const View5& from = plan.self;
  const View5& to = plan.values;
  if (plan.c > 1 && from.c == 1 && to.c == 1) {
    const bool whole =
        cuda::in_packs(from.data, sizeof(T), kCount, {plan.c, from.n, from.d, from.h, from.w}) &&
        cuda::in_packs(to.data, sizeof(T), kCount, {to.n, to.d, to.h, to.w});
    return whole ? launch_units<uint4>(plan, Order::kChannels, kCount, launch)
                 : launch_units<T>(plan, Order::kChannels, 1, launch);
  }
  if (const auto done = launch_rows<T>(plan, launch)) return *done;
  return launch_units<T>(plan, Order::kRows, 1, launch);
}

cudaError_t launch(const Plan& given, const cuda::CudaLaunch& launch) {
  if (given.n * given.c * given.out.count() == 0) return cudaSuccess;
  Plan plan = given;
  plan.self = counted_strides(plan.self, plan.n, plan.c, plan.in);
  plan.values = counted_strides(plan.values, plan.n, plan.c, plan.out);
  switch (size_of(plan.type)) {
    case 1:
      return launch_typed<std::uint8_t>(plan, launch);
    case 2:
      return launch_typed<std::uint16_t>(plan, launch);
    case 4:
      return launch_typed<std::uint32_t>(plan, launch);
    case 8:
      return launch_typed<std::uint64_t>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::upsample_nearest
