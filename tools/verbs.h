#pragma once

#include <string>
#include <vector>

#include "tree.h"

// One function per verb; each returns the exit status.
namespace cairn::tool {

inline constexpr int kWrongUse = 2;

int run_program(const Tree& tree, const std::string& program, const std::vector<std::string>& arguments);
int show_products();
int show_devices();
int test(const Tree& tree, const std::vector<std::string>& ctest_arguments);
int bench(const Tree& tree, const std::vector<std::string>& arguments);
int install(const Tree& tree, const std::string& prefix);
// Runs $PYTHON, else python3, where it finds the package; without arguments, makes it find it always.
int python(const Tree& tree, const std::vector<std::string>& arguments);

}  // namespace cairn::tool
