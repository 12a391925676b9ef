#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/threads.h"

// Barriers, and what the lanes of a warp tell each other. The last arguments are where the call stands.
#define CUDA_EMULATOR_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cuda_emulator {

template <typename T>
std::uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}
template <typename T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

template <typename T>
T shuffle(WarpWait kind, unsigned mask, T value, int by, int width, Place place) {
  return from_bits<T>(wait_for_lanes(kind, mask, {to_bits(value), by, width}, place));
}

}  // namespace cuda_emulator

inline void __syncthreads(CUDA_EMULATOR_HERE) {
  cuda_emulator::wait_for_block(cuda_emulator::BlockWait::kBarrier, false, {file, line});
}
inline int __syncthreads_or(int predicate, CUDA_EMULATOR_HERE) {
  return cuda_emulator::wait_for_block(cuda_emulator::BlockWait::kBarrierOr, predicate != 0, {file, line})
             ? 1
             : 0;
}

inline void __syncwarp(unsigned mask = ~0U, CUDA_EMULATOR_HERE) {
  cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kBarrier, mask, {}, {file, line});
}
template <typename T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, CUDA_EMULATOR_HERE) {
  return cuda_emulator::shuffle(cuda_emulator::WarpWait::kShuffle, mask, value, lane, width, {file, line});
}
template <typename T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32, CUDA_EMULATOR_HERE) {
  return cuda_emulator::shuffle(cuda_emulator::WarpWait::kShuffleUp, mask, value, static_cast<int>(by), width,
                                {file, line});
}
template <typename T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32, CUDA_EMULATOR_HERE) {
  return cuda_emulator::shuffle(cuda_emulator::WarpWait::kShuffleDown, mask, value, static_cast<int>(by),
                                width, {file, line});
}
template <typename T>
T __shfl_xor_sync(unsigned mask, T value, int by, int width = 32, CUDA_EMULATOR_HERE) {
  return cuda_emulator::shuffle(cuda_emulator::WarpWait::kShuffleXor, mask, value, by, width, {file, line});
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDA_EMULATOR_HERE) {
  return static_cast<unsigned>(cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kBallot, mask,
                                                             {predicate != 0 ? 1U : 0U}, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, CUDA_EMULATOR_HERE) {
  return static_cast<int>(cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kAny, mask,
                                                        {predicate != 0 ? 1U : 0U}, {file, line}));
}
inline int __all_sync(unsigned mask, int predicate, CUDA_EMULATOR_HERE) {
  return static_cast<int>(cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kAll, mask,
                                                        {predicate != 0 ? 1U : 0U}, {file, line}));
}
template <typename T>
unsigned __match_any_sync(unsigned mask, T value, CUDA_EMULATOR_HERE) {
  return static_cast<unsigned>(cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kMatchAny, mask,
                                                             {cuda_emulator::to_bits(value)}, {file, line}));
}
inline int __reduce_max_sync(unsigned mask, int value, CUDA_EMULATOR_HERE) {
  return static_cast<int>(cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kMax, mask,
                                                        {cuda_emulator::to_bits(value)}, {file, line}));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value, CUDA_EMULATOR_HERE) {
  return static_cast<unsigned>(
      cuda_emulator::wait_for_lanes(cuda_emulator::WarpWait::kUnsignedMax, mask, {value}, {file, line}));
}

#undef CUDA_EMULATOR_HERE
