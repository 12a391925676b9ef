#pragma once

#include <cstdint>
#include <type_traits>

#include "ops/kit/cuda/element.cuh"
#include "ops/max_unpool/cuda/tile_plan.h"

namespace cairn::max_unpool {

inline constexpr int kNone = 0xff;  // every byte of an index of -1

// A cell in shared memory: first the number of its window, then the value.
template <typename T>
using Slot = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

// The numbers of windows in slots of `Bytes`; 0 is none. What several threads write at once goes through
// atomics.
template <int Bytes>
class Owners {
 public:
  __device__ explicit Owners(void* slots) : words_(static_cast<unsigned*>(slots)) {}

  __device__ void forget(int slot) const {
    if constexpr (Bytes >= 4) {
      atomicExch(word_of(slot), 0U);
    } else {
      atomicAnd(word_of(slot), ~(kHalf << shift_of(slot)));
    }
  }
  // The largest number stays.
  __device__ void claim(int slot, unsigned number) const {
    if constexpr (Bytes >= 4) {
      atomicMax(word_of(slot), number);
    } else {
      const int shift = shift_of(slot);
      unsigned seen = 0;
      while ((seen >> shift & kHalf) < number) {
        const unsigned before = atomicCAS(word_of(slot), seen, (seen & ~(kHalf << shift)) | number << shift);
        if (before == seen) break;
        seen = before;
      }
    }
  }
  // After a barrier.
  __device__ unsigned of(int slot) const {
    return Bytes >= 4 ? *word_of(slot) : *word_of(slot) >> shift_of(slot) & kHalf;
  }

 private:
  static constexpr unsigned kHalf = 0xffffU;
  __device__ unsigned* word_of(int slot) const { return words_ + slot * Bytes / 4; }
  __device__ static int shift_of(int slot) { return slot % 2 * 16; }

  unsigned* words_;
};

// Of the windows that have one slot the last keeps it, the others get none. Where slots are not clean they
// have values of windows before. Ends with a barrier.
template <int Bytes>
__device__ void keep_last(const Owners<Bytes>& owners, int (&slot)[kWindows], const int (&number)[kWindows],
                          bool clean) {
  if (!clean) {
#pragma unroll
    for (int i = 0; i < kWindows; ++i)
      if (slot[i] >= 0) owners.forget(slot[i]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kWindows; ++i)
    if (slot[i] >= 0) owners.claim(slot[i], static_cast<unsigned>(number[i]) + 1);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kWindows; ++i)
    if (slot[i] >= 0 && owners.of(slot[i]) != static_cast<unsigned>(number[i]) + 1) slot[i] = -1;
  __syncthreads();
}

// A run of slots, by all threads of a block.
template <typename T, typename Stored, int kCount = 16 / sizeof(Stored)>
__device__ void write_run(const Stored* slots, T* to, int length, bool packs) {
  const int thread = static_cast<int>(threadIdx.x);
  const int whole = packs ? length / kCount * kCount : 0;
#pragma unroll(sizeof(Stored) == 1 ? 2 : 4)
  for (int i = thread * kCount; i < whole; i += kThreads * kCount) {
    const auto some = cuda::load_pack<Stored, kCount>(slots + i);
    if constexpr (std::is_same_v<T, Stored>) {
      cuda::store_pack(to + i, some);
    } else {
      cuda::Pack<T, kCount> pack;
#pragma unroll
      for (int k = 0; k < kCount; ++k) pack.at[k] = static_cast<T>(some.at[k]);
      cuda::store_pack(to + i, pack);
    }
  }
  for (int i = whole + thread; i < length; i += kThreads) to[i] = static_cast<T>(slots[i]);
}

}  // namespace cairn::max_unpool
