#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace cairn::cuda {

inline std::uint64_t multiply_wide(std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} * b; }

}  // namespace cairn::cuda
