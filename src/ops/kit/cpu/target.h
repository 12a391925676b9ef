#pragma once

#include <cstdint>

namespace cairn {

// The instruction set that kernels on this machine's CPU run with: "AVX2".
const char* cpu_target();

// How many floats a vector of it has; 1 if it has no vectors.
std::int64_t float_lanes();

}  // namespace cairn
