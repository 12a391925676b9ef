#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace cairn::tool {

// While one exists, the signals that ask this process to end (a terminal's and kill's) wait: they go to the
// program that is being run, and what is to be removed afterwards is removed.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

struct How {
  std::string name = {};                 // what a message calls the program; else the command's first word
  std::filesystem::path output = {};     // a file that gets its standard output
  std::filesystem::path temporary = {};  // where it puts temporary files
  bool apart = false;  // in a process group of its own: a signal reaches its children as well
};

// Runs a program found on PATH and waits; it gets the signals that this process gets, and does not outlive
// it. Its exit status; 128 + n when signal n ended it and 127 when it could not be started, after a word on
// stderr.
int run(const std::vector<std::string>& command, const How& how = {});

}  // namespace cairn::tool
