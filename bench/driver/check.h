#pragma once

#include <string>

#include "contender.h"
#include "workload.h"

namespace cairn::bench {

// The row's result by the plain-loop oracle of the tests.
Result reference_result(const Case& row, const HostData& data);

// Empty when the contender's result equals copies of `expected` to the bit, else what differs first.
std::string difference(const Case& row, const Result& expected, const Result& got);

}  // namespace cairn::bench
