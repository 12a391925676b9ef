#pragma once

#include "ops/upsample_nearest/cuda/copies.cuh"

namespace cairn::upsample_nearest {

// Eight neighbours along a row of 2-byte values, whose sources lie within six neighbours: three words hold
// them, and each pair of results comes out of two of these.
class Picks {
 public:
  static constexpr int kCount = 8;
  static constexpr float kMostScale = 3.98F / (kCount - 1);  // from an odd place on, four sources further
  static constexpr int kMostPositions = 1 << 16;             // so that rounding counts for nothing

  __device__ Picks(const CopyAxis<int>& lane, int first) {
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

template <typename T, Along Axis>
__global__ void __launch_bounds__(kThreads) pick_rows(const __grid_constant__ CopyPlan<int> plan) {
  static_assert(sizeof(T) == sizeof(unsigned short));
  constexpr int kStepCount = kRowSteps<T, 0>;
  cuda::let_next_kernel_come();
  const int item = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (item >= plan.items) return;
  const Place<int> place = Place<int>::of<kStepCount>(plan, item);
  const int first = place.lane * Picks::kCount;
  const Picks picks(plan.lane, first);
  cuda::wait_for_kernel_before();
  write_packs<Axis, kStepCount>(
      plan.step, place.step, static_cast<const unsigned short*>(plan.self) + place.from,
      static_cast<unsigned short*>(plan.values) + place.to + first,
      [&picks](const unsigned short* row, uint4& words) { words = picks.load(row); });
}

}  // namespace cairn::upsample_nearest
