#pragma once

#include <string>

namespace cuda_test {

// Times every workload whose row contains `filter` beside a large copy, and prints a table.
void time_workloads(const std::string& filter);

}  // namespace cuda_test
