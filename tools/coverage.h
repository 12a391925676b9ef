#pragma once

#include <string>
#include <vector>

#include "tree.h"

namespace cairn::tool {

// After a compilation that failed: says on stderr which operator headers of CANN the sources include that
// this tree has not got, and which operators it has.
void explain_missing_headers(const Tree& tree, const std::vector<std::string>& sources);

}  // namespace cairn::tool
