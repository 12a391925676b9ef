#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/scale_axis.cuh"

namespace cairn::upsample_nearest {

inline constexpr int kThreads = 256;

// Results of a thread, neighbours along `step`: more where finding them is the work.
inline constexpr int kSteps = 2;
inline constexpr int kManySteps = 4;
enum class Along { kResized, kSame };  // what the axis of the steps is
template <typename T, int Factor>
inline constexpr int kRowSteps = Factor == 0 && sizeof(T) < 4 ? kManySteps : kSteps;

// An axis and how far neighbours along it lie apart.
template <typename Coord>
struct CopyAxis : cuda::ScaleAxis<Coord> {
  Coord from;
  Coord to;
};

// The axes in the order in which threads are numbered, the last one fastest. A thread computes its source
// along each but `step` once.
template <typename Coord>
struct CopyPlan {
  using Divider = cuda::Divider<std::make_unsigned_t<Coord>>;
  const void* self;
  void* values;
  std::int64_t from_n, to_n;
  std::int64_t from_slice, to_slice;  // a slice: a channel, or nothing where channels are `lane`
  CopyAxis<Coord> outer;
  CopyAxis<Coord> middle;
  CopyAxis<Coord> step;
  CopyAxis<Coord> lane;
  Coord items;
  Divider by_lanes, by_steps, by_middle, by_outer, by_slices;
};

template <typename Coord>
struct Place {
  std::int64_t from;
  std::int64_t to;
  Coord step;
  Coord lane;

  template <int Steps>
  __device__ static Place of(const CopyPlan<Coord>& plan, Coord item) {
    using Unsigned = std::make_unsigned_t<Coord>;
    cuda::Digits<Unsigned> digits{static_cast<Unsigned>(item)};
    const auto next = [&digits](const typename CopyPlan<Coord>::Divider& by) {
      return static_cast<Coord>(digits.next(by));
    };
    Place place;
    place.lane = next(plan.by_lanes);
    place.step = next(plan.by_steps) * Steps;
    const Coord middle = next(plan.by_middle);
    const Coord outer = next(plan.by_outer);
    const auto slice = static_cast<std::int64_t>(next(plan.by_slices));
    const auto n = static_cast<std::int64_t>(digits.left);
    place.from = n * plan.from_n + slice * plan.from_slice +
                 static_cast<std::int64_t>(plan.outer.source(outer)) * plan.outer.from +
                 static_cast<std::int64_t>(plan.middle.source(middle)) * plan.middle.from;
    place.to = n * plan.to_n + slice * plan.to_slice + static_cast<std::int64_t>(outer) * plan.outer.to +
               static_cast<std::int64_t>(middle) * plan.middle.to;
    return place;
  }
};

// Writes the thread's results along `step`; load(from, unit) is called where the source changes.
template <int Steps, typename Unit, typename Coord, typename T, typename Load>
__device__ void write_steps(const CopyAxis<Coord>& step, Coord first, const T* from, T* to,
                            const Load& load) {
  Unit unit;
  Coord before = -1;
#pragma unroll
  for (int i = 0; i < Steps; ++i) {
    const Coord position = first + i;
    if (position >= step.out) return;
    const Coord source = step.source(position);
    if (source != before) load(from + static_cast<std::int64_t>(source) * step.from, unit);
    before = source;
    *reinterpret_cast<Unit*>(to + static_cast<std::int64_t>(position) * step.to) = unit;
  }
}

// The same along an axis that is not resized: all loads are under way before the first store.
template <int Steps, typename Unit, typename Coord, typename T, typename Load>
__device__ void copy_steps(const CopyAxis<Coord>& step, Coord first, const T* from, T* to, const Load& load) {
  Unit units[Steps];
#pragma unroll
  for (int i = 0; i < Steps; ++i)
    load(from + static_cast<std::int64_t>(min(first + i, step.out - 1)) * step.from, units[i]);
#pragma unroll
  for (int i = 0; i < Steps; ++i) {
    if (first + i < step.out)
      *reinterpret_cast<Unit*>(to + static_cast<std::int64_t>(first + i) * step.to) = units[i];
  }
}

template <Along Axis, int Steps, typename T, typename Load>
__device__ void write_packs(const CopyAxis<int>& step, int first, const T* from, T* to, const Load& load) {
  if constexpr (Axis == Along::kSame) {
    copy_steps<Steps, uint4>(step, first, from, to, load);
  } else {
    write_steps<Steps, uint4>(step, first, from, to, load);
  }
}

}  // namespace cairn::upsample_nearest
