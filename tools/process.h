#pragma once

#include <string>
#include <vector>

namespace cairn::tool {

// Runs a program found on PATH and waits. Its exit status; 128 + n when signal n ended it and 127 when it
// could not be started, after a word on stderr that calls it `name`.
int run(const std::vector<std::string>& command, const std::string& name);
inline int run(const std::vector<std::string>& command) { return run(command, command.front()); }

// The same with its standard output in a string; the output counts only when the status is 0.
struct Captured {
  int status;
  std::string output;
};
Captured run_captured(const std::vector<std::string>& command);

}  // namespace cairn::tool
