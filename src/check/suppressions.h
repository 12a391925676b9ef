#pragma once

#include <string>
#include <vector>

#include "check/finding.h"

namespace cairn::check {

// Lines "rule glob [glob…]": a finding of that rule is silenced when every glob matches the function or file
// of a frame, in order. A # begins a comment.
class Suppressions {
 public:
  Suppressions() = default;
  // Empty where there is no such file.
  explicit Suppressions(const std::string& file);

  void add(const std::string& line);
  bool match(const Finding& finding) const;

 private:
  struct Line {
    std::string rule;
    std::vector<std::string> globs;
  };
  std::vector<Line> lines_;
};

}  // namespace cairn::check
