#pragma once

#include <cstdint>

namespace cuda_test {

inline constexpr const char* kNoGpu = "";

// Of random cases, those that choose one and the same candidate.
inline constexpr std::uint64_t kCasesOfCandidate = 60;

// The emulated one is always there.
inline bool gpu_expected() { return true; }

}  // namespace cuda_test
