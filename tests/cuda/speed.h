#pragma once

#include <cstddef>
#include <string>

namespace cuda_test {

// Times every workload whose row contains `filter` beside a large copy, and prints a table. `fetch_bytes`,
// unless 0, is how much the L2 cache reads from memory at a time: the scattered reads of unpool want 32.
void time_workloads(const std::string& filter, std::size_t fetch_bytes);

}  // namespace cuda_test
