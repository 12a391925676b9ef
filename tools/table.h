#pragma once

#include <string>
#include <vector>

namespace cairn::tool {

// Prints rows in columns as wide as their widest cell, two spaces between; the first row is the heading.
void print_table(const std::vector<std::vector<std::string>>& rows, int indent = 0);

}  // namespace cairn::tool
