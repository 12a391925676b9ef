#include "check/suppressions.h"

#include <fnmatch.h>

#include <fstream>
#include <sstream>

namespace cairn::check {
namespace {

bool matches(const std::string& glob, const Frame& frame) {
  const std::string name = frame.file.substr(frame.file.rfind('/') + 1);
  return fnmatch(glob.c_str(), frame.function.c_str(), 0) == 0 ||
         (!frame.file.empty() &&
          (fnmatch(glob.c_str(), frame.file.c_str(), 0) == 0 || fnmatch(glob.c_str(), name.c_str(), 0) == 0));
}

}  // namespace

Suppressions::Suppressions(const std::string& file) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) add(line);
}

void Suppressions::add(const std::string& line) {
  std::istringstream words(line.substr(0, line.find('#')));
  Line read;
  if (!(words >> read.rule)) return;
  for (std::string glob; words >> glob;) read.globs.push_back(glob);
  lines_.push_back(std::move(read));
}

bool Suppressions::match(const Finding& finding) const {
  for (const Line& line : lines_) {
    if (fnmatch(line.rule.c_str(), finding.rule->name, 0) != 0) continue;
    auto glob = line.globs.begin();
    for (const Frame& frame : finding.stack) {
      if (glob != line.globs.end() && matches(*glob, frame)) ++glob;
    }
    if (glob == line.globs.end()) return true;
  }
  return false;
}

}  // namespace cairn::check
