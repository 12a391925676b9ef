#pragma once

#include <span>

#include "ops/operator.h"

namespace cairn {

// Every operator of this library. What needs "all operators" reads this list: the tool, the reference pages,
// the public headers, the tests.
std::span<const Operator* const> catalogue();

// By its name; null when there is none.
const Operator* find_operator(std::string_view name);

}  // namespace cairn
