#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/divider.h"
#include "ops/kit/cuda/element.cuh"

namespace cairn::upsample_nearest {

inline constexpr int kThreads = 256;

// Results of a thread, neighbours along `step`: more where finding them is the work.
inline constexpr int kSteps = 2;
template <typename T, int Factor>
inline constexpr int kRowSteps = Factor == 0 && sizeof(T) < 4 ? 4 : kSteps;

// The conversions saturate: a product past any integer is past the axis too.
__device__ inline int round_down(float value, int) { return __float2int_rd(value); }
__device__ inline std::int64_t round_down(float value, std::int64_t) { return __float2ll_rd(value); }

// Coord is int where every size and offset in a plane fits.
template <typename Coord>
struct Axis {
  Coord in;
  Coord out;
  float scale;  // 0 for an axis that is not resized
  Coord from;   // strides
  Coord to;

  __device__ Coord source(Coord position) const {
    if (scale == 0.0F) return position;
    const Coord place = round_down(static_cast<float>(position) * scale, Coord{});
    return place < in ? place : in - 1;
  }
  // True when each source has exactly `factor` positions, in order.
  bool is_regular(std::int64_t factor) const {
    constexpr std::int64_t kExactInFloat = std::int64_t{1} << 24;
    return scale == 1.0F / static_cast<float>(factor) && out < kExactInFloat && out <= in * factor;
  }
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
  Axis<Coord> outer;
  Axis<Coord> middle;
  Axis<Coord> step;
  Axis<Coord> lane;
  Coord items;
  Divider by_lanes, by_steps, by_middle, by_outer, by_slices;
};

template <typename Coord>
struct Place {
  std::int64_t from;
  std::int64_t to;
  Coord step;
  Coord lane;
};

template <int Steps, typename Coord>
__device__ Place<Coord> place_of(const CopyPlan<Coord>& plan, Coord item) {
  using Unsigned = std::make_unsigned_t<Coord>;
  auto left = static_cast<Unsigned>(item);
  const auto next = [&left](const typename CopyPlan<Coord>::Divider& by) {
    const Unsigned quotient = by.divide(left);
    const Unsigned rest = by.rest(left, quotient);
    left = quotient;
    return static_cast<Coord>(rest);
  };
  Place<Coord> place;
  place.lane = next(plan.by_lanes);
  place.step = next(plan.by_steps) * Steps;
  const Coord middle = next(plan.by_middle);
  const Coord outer = next(plan.by_outer);
  const auto slice = static_cast<std::int64_t>(next(plan.by_slices));
  const auto n = static_cast<std::int64_t>(left);
  place.from = n * plan.from_n + slice * plan.from_slice +
               static_cast<std::int64_t>(plan.outer.source(outer)) * plan.outer.from +
               static_cast<std::int64_t>(plan.middle.source(middle)) * plan.middle.from;
  place.to = n * plan.to_n + slice * plan.to_slice + static_cast<std::int64_t>(outer) * plan.outer.to +
             static_cast<std::int64_t>(middle) * plan.middle.to;
  return place;
}

// Writes the thread's results along `step`; load(from, unit) is called where the source changes.
template <int Steps, typename Unit, typename Coord, typename T, typename Load>
__device__ void write_steps(const Axis<Coord>& step, Coord first, const T* from, T* to, const Load& load) {
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

// Each lane's unit has a source of its own.
template <typename Unit, typename Coord>
__global__ void __launch_bounds__(kThreads) copy_units(const __grid_constant__ CopyPlan<Coord> plan) {
  cuda::let_next_kernel_come();
  const Coord item = static_cast<Coord>(blockIdx.x) * kThreads + static_cast<Coord>(threadIdx.x);
  if (item >= plan.items) return;
  const Place<Coord> place = place_of<kSteps>(plan, item);
  const std::int64_t source = plan.lane.source(place.lane);
  cuda::wait_for_kernel_before();
  write_steps<kSteps, Unit>(
      plan.step, place.step, static_cast<const Unit*>(plan.self) + place.from + source * plan.lane.from,
      static_cast<Unit*>(plan.values) + place.to + static_cast<std::int64_t>(place.lane) * plan.lane.to,
      [](const Unit* from, Unit& unit) { unit = *from; });
}

// Eight neighbours along a row of 2-byte values, whose sources lie within six neighbours: three words hold
// them, and each pair of results comes out of two of these.
class Picks {
 public:
  static constexpr int kCount = 8;
  static constexpr float kMostScale = 3.98F / (kCount - 1);  // from an odd place on, four sources further
  static constexpr int kMostPositions = 1 << 16;             // so that rounding counts for nothing

  __device__ Picks(const Axis<int>& lane, int first) {
    int source[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) source[i] = lane.source(first + i);
    word_ = source[0] / 2;
    last_ = source[kCount - 1] / 2;
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) {
      const int from = source[2 * i] / 2 > word_ ? word_ + 1 : word_;
      behind_[i] = from > word_;
      bytes_[i] = bytes_of(source[2 * i] - 2 * from) | bytes_of(source[2 * i + 1] - 2 * from) << 8;
    }
  }
  __device__ uint4 load(const unsigned short* row) const {
    const auto* words = reinterpret_cast<const unsigned*>(row);
    const unsigned low = words[word_];
    const unsigned middle = words[min(word_ + 1, last_)];
    const unsigned high = words[last_];
    const auto pick = [&](int i) {
      return __byte_perm(behind_[i] ? middle : low, behind_[i] ? high : middle, bytes_[i]);
    };
    return {pick(0), pick(1), pick(2), pick(3)};
  }

 private:
  // How __byte_perm names the bytes of the half with this number.
  __device__ static unsigned bytes_of(int half) { return static_cast<unsigned>(half) * 0x22 + 0x10; }

  int word_, last_;
  bool behind_[kCount / 2];
  unsigned bytes_[kCount / 2];
};

template <typename T>
__global__ void __launch_bounds__(kThreads) pick_rows(const __grid_constant__ CopyPlan<int> plan) {
  static_assert(sizeof(T) == sizeof(unsigned short));
  constexpr int kStepCount = kRowSteps<T, 0>;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = place_of<kStepCount>(plan, item);
  const int first = place.lane * Picks::kCount;
  const Picks picks(plan.lane, first);
  cuda::wait_for_kernel_before();
  write_steps<kStepCount, uint4>(
      plan.step, place.step, static_cast<const unsigned short*>(plan.self) + place.from,
      static_cast<unsigned short*>(plan.values) + place.to + first,
      [&picks](const unsigned short* row, uint4& words) { words = picks.load(row); });
}

// Rows of values in packs of 16 bytes. Factor: positions of each source along the row, or 0 for any number.
template <typename T, int Factor>
__global__ void __launch_bounds__(kThreads) widen_rows(const __grid_constant__ CopyPlan<int> plan) {
  constexpr int kCount = 16 / sizeof(T);
  constexpr int kStepCount = kRowSteps<T, Factor>;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = place_of<kStepCount>(plan, item);
  const int first = place.lane * kCount;
  const T* from = static_cast<const T*>(plan.self) + place.from;
  T* to = static_cast<T*>(plan.values) + place.to + first;
  cuda::wait_for_kernel_before();
  if constexpr (Factor == 0) {
    int source[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) source[i] = plan.lane.source(first + i);
    write_steps<kStepCount, uint4>(plan.step, place.step, from, to, [&source](const T* row, uint4& words) {
      cuda::Pack<T, kCount> pack;
#pragma unroll
      for (int i = 0; i < kCount; ++i) pack.at[i] = row[source[i]];
      memcpy(&words, &pack, sizeof(words));
    });
  } else {
    constexpr int kSources = kCount / Factor;
    write_steps<kStepCount, uint4>(plan.step, place.step, from + place.lane * kSources, to,
                                   [](const T* row, uint4& words) {
                                     const auto some = cuda::load_pack<T, kSources>(row);
                                     cuda::Pack<T, kCount> pack;
#pragma unroll
                                     for (int i = 0; i < kCount; ++i) pack.at[i] = some.at[i / Factor];
                                     memcpy(&words, &pack, sizeof(words));
                                   });
  }
}

}  // namespace cairn::upsample_nearest
