#pragma once

#include <string>
#include <vector>

#include "tree.h"

// One function per verb; each returns the exit status.
namespace cairn::tool {

inline constexpr int kWrongUse = 2;

// What the programs of a verb are told beside their arguments.
struct RunOptions {
  std::string product = {};  // CAIRN_PRODUCT, where it is not empty
  std::string checked = {};  // CAIRN_CHECK, where it is not empty; sources are then compiled with -g
  bool started = false;      // whether it came to a run
};
int run_program(const Tree& tree, const std::string& program, const std::vector<std::string>& arguments,
                RunOptions& options);
int show_products();
int show_devices();
int show_coverage(const Tree& tree, const std::vector<std::string>& files);
int test(const Tree& tree, const std::vector<std::string>& ctest_arguments);
int bench(const Tree& tree, const std::vector<std::string>& arguments);
int install(const Tree& tree, const std::string& prefix);
// A tarball and a .deb of this build.
int package(const Tree& tree);
// Runs $PYTHON, else python3, where it finds the package; without arguments, makes it find it always.
int python(const Tree& tree, const std::vector<std::string>& arguments);

}  // namespace cairn::tool
