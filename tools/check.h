#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "tree.h"

namespace cairn::tool {

// The verb `check`. Its callback puts the exit status into `status`; `untouched` goes to the program as it
// is.
void add_check(CLI::App& app, const Tree& tree, const std::vector<std::string>& untouched, int& status);

}  // namespace cairn::tool
