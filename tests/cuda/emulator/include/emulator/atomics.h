#pragma once

#include "emulator/threads.h"

// Threads of a block run in turns, but blocks of several streams may run at once.
inline unsigned atomicAdd(unsigned* at, unsigned value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicAnd(unsigned* at, unsigned value) {
  return __atomic_fetch_and(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicOr(unsigned* at, unsigned value) {
  return __atomic_fetch_or(at, value, __ATOMIC_RELAXED);
}
inline unsigned atomicExch(unsigned* at, unsigned value) {
  return __atomic_exchange_n(at, value, __ATOMIC_RELAXED);
}
// A thread that came too late may be waiting for another one.
inline unsigned atomicCAS(unsigned* at, unsigned expected, unsigned value) {
  const bool changed =
      __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  if (!changed) cuda_emulator::try_again();
  return expected;
}
inline unsigned atomicMax(unsigned* at, unsigned value) {
  unsigned before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (before < value &&
         !__atomic_compare_exchange_n(at, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}
// Counts from 0 to `last`, over and over.
inline unsigned atomicInc(unsigned* at, unsigned last) {
  unsigned before = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(at, &before, before >= last ? 0 : before + 1, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return before;
}

inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <typename T>
T __ldcg(const T* from) {
  return *from;
}
template <typename T>
void __stwb(T* to, T value) {
  *to = value;
}
