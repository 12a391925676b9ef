#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cairn::tool {

// Where this program's own Cairn lies: an install tree, or a build tree, which has the same shape.
struct Tree {
  std::filesystem::path prefix;                 // bin/, include/, lib64/, opp/, share/
  std::optional<std::filesystem::path> source;  // the source tree, when `prefix` is a build tree

  static Tree of_this_program();
};

struct Variable {
  std::string name;
  std::string value;
  bool is_list = false;  // goes in front of what the variable holds, colon between
};

// What set_env.sh exports.
std::vector<Variable> environment(const Tree& tree);

void set_environment(const Tree& tree);
// As lines for a shell's eval.
void print_environment(const Tree& tree);

}  // namespace cairn::tool
