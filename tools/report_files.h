#pragma once

#include <string>
#include <vector>

#include "check/finding.h"

namespace cairn::tool {

struct Report {
  std::vector<check::Finding> findings;
  check::RunInfo run;
};

// A report as other programs read it.
std::string as_json(const Report& report);
std::string as_sarif(const Report& report);  // 2.1.0
std::string as_junit(const Report& report);  // the program is a suite, each rule a case

}  // namespace cairn::tool
