#pragma once

#include <cuda_runtime.h>

namespace cairn::cuda {

// 16 bytes into shared memory, past the registers. The thread goes on, until it waits for all of its copies.
__device__ inline void copy_async(void* to_shared, const void* from) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(to_shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(from) : "memory");
}
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.commit_group;\n cp.async.wait_group 0;" : : : "memory");
}
// In turns: what was begun since the last one ended is a turn, and all but the last can be waited for.
__device__ inline void end_turn_of_copies() { asm volatile("cp.async.commit_group;" : : : "memory"); }
__device__ inline void wait_for_turns_before() { asm volatile("cp.async.wait_group 1;" : : : "memory"); }

}  // namespace cairn::cuda
