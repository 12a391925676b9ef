#pragma once

#include <span>

namespace cairn::tool {

// A program of tests/check/faulty. Its first line names the rule that it breaks; -DFIXED mends it.
struct FaultyProgram {
  const char* name;
  const char* text;
};
std::span<const FaultyProgram> faulty_programs();

}  // namespace cairn::tool
