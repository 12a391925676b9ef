#pragma once

#include <string>

#include "contender.h"
#include "workload.h"

namespace cairn::bench {

// The row's result by the oracle of the tests; where windows make that take minutes, by the plain loop, which
// other rows compare with the oracle.
Result reference_result(const Case& row, const HostData& data);

// Empty when the contender's result equals copies of `expected` to the bit, else what differs first.
std::string difference(const Case& row, const Result& expected, const Result& got);

}  // namespace cairn::bench
