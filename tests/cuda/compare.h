#pragma once

#include <cstdint>

namespace cuda_test {

// Runs random cases of every operator against the oracle; the number that failed. Case i of a run with seed s
// is case 0 of a run with seed s + i.
int compare_with_oracle(std::uint64_t seed, std::uint64_t cases, int threads);

}  // namespace cuda_test
