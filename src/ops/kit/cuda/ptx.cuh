#pragma once

#include <cuda_runtime.h>

#include <cstdint>

// What kernels say in PTX, since C++ has no words for it: here (and in multiply_wide.h) and nowhere else.
// Tests that run kernels without a GPU have headers of their own in place of these.
namespace cairn::cuda {

// A load that happens or not, without a branch: several can be under way at once. Only from memory that the
// kernel does not write, at an address that went through keep() after the wait for the kernel before.
__device__ inline void load_words_if(bool there, const void* from, unsigned char& words) {
  unsigned short word = words;  // there are no registers of 8 bits
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.u8 %0, [%1]; }"
      : "+h"(word)
      : "l"(from), "r"(static_cast<int>(there)));
  words = static_cast<unsigned char>(word);
}
__device__ inline void load_words_if(bool there, const void* from, unsigned short& words) {
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.u16 %0, [%1]; }"
      : "+h"(words)
      : "l"(from), "r"(static_cast<int>(there)));
}
__device__ inline void load_words_if(bool there, const void* from, unsigned int& words) {
  asm("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p ld.global.u32 %0, [%1]; }"
      : "+r"(words)
      : "l"(from), "r"(static_cast<int>(there)));
}
__device__ inline void load_words_if(bool there, const void* from, uint2& words) {
  asm("{ .reg .pred p; setp.ne.s32 p, %3, 0; @p ld.global.v2.u32 {%0, %1}, [%2]; }"
      : "+r"(words.x), "+r"(words.y)
      : "l"(from), "r"(static_cast<int>(there)));
}
__device__ inline void load_words_if(bool there, const void* from, uint4& words) {
  asm("{ .reg .pred p; setp.ne.s32 p, %5, 0; @p ld.global.v4.u32 {%0, %1, %2, %3}, [%4]; }"
      : "+r"(words.x), "+r"(words.y), "+r"(words.z), "+r"(words.w)
      : "l"(from), "r"(static_cast<int>(there)));
}

// Keeps an address in a register, where the compiler would rather compute it again at every use, and the
// loads from it where they are.
template <typename T>
__device__ T* keep(T* address) {
  asm volatile("" : "+l"(address) : : "memory");
  return address;
}
// Keeps a number in a register, for the same reason.
__device__ inline int keep(int number) {
  asm("" : "+r"(number));
  return number;
}
__device__ inline unsigned keep(unsigned number) {
  asm volatile("" : "+r"(number));
  return number;
}

// The largest of two, or a NaN if one is.
__device__ inline float largest_or_nan(float a, float b) {
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
}

// Shared memory has addresses of 32 bits.
__device__ inline unsigned shared_address(const void* address) {
  return static_cast<unsigned>(__cvta_generic_to_shared(address));
}
__device__ inline void set_shared_bits(unsigned address, unsigned bits) {
  asm volatile("red.shared.or.b32 [%0], %1;" : : "r"(address), "r"(bits) : "memory");
}
__device__ inline void store_shared_if(bool there, unsigned address, std::uint16_t value) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; @p st.shared.u16 [%0], %1; }"
               :
               : "r"(address), "h"(value), "r"(static_cast<int>(there))
               : "memory");
}

// 16 bytes into shared memory, past the registers. The thread goes on, until it waits for all of its copies.
__device__ inline void copy_async(void* to_shared, const void* from) {
  const unsigned to = shared_address(to_shared);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" : : : "memory");
}
// In turns: what was begun since the last one ended is a turn, and all but the last can be waited for.
__device__ inline void end_turn_of_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
__device__ inline void wait_for_turns_before() { asm volatile("cp.async.wait_group 1;" : : : "memory"); }

// The same for copies of 4, 8 or 16 bytes, through the first cache, and without turns.
template <int Bytes>
__device__ void start_copy(unsigned to, const void* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" : : "r"(to), "l"(from), "n"(Bytes) : "memory");
}
__device__ inline void wait_for_started_copies() { asm volatile("cp.async.wait_all;" : : : "memory"); }

}  // namespace cairn::cuda
