#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cairn::cuda {

// The compiler's own 64-bit product takes an instruction more.
__device__ inline std::uint64_t multiply_wide(std::uint32_t a, std::uint32_t b) {
  std::uint64_t product;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
  return product;
}

}  // namespace cairn::cuda
