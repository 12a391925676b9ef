#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "private_folder.h"
#include "tree.h"

namespace cairn::tool {

// The C++ compiler ($CXX, else c++) with the words that make it find this tree, around those of the user.
std::vector<std::string> compiler_command(const Tree& tree, const std::vector<std::string>& arguments);

// Runs that command; where a header of an operator that does not exist made it fail, says so.
int compile_as_told(const Tree& tree, const std::vector<std::string>& arguments);

bool is_source(const std::filesystem::path& program);

// Compiles a source file, or finds what an earlier call compiled from the same text. The program's path on
// status 0; it may be gone with this object.
struct Compiled {
  ProgramFolder folder;
  int status = 0;
  std::filesystem::path program = {};
};
Compiled compile(const Tree& tree, const std::filesystem::path& source);

}  // namespace cairn::tool
