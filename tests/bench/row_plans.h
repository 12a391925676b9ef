#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "backend/candidate_choice.h"
#include "conformance/subjects.h"
#include "driver/workload.h"

namespace bench_test {

// A row of `cairn bench` as kernels are handed it.
struct RowPlan {
  std::string label;
  cairn::Family family;
  conformance::PlanBytes plan;
};

// Every row of both suites, with these shares of the standard suite's planes.
std::vector<RowPlan> row_plans(const std::vector<double>& fractions);

// What speaks against a candidate for every row that bench could have: this machine lacks something, or it is
// for plans that no operator makes.
bool speaks_against_any_row(const std::string& reason);

// Expects that each of a family's candidates is chosen for some row, and prints for which.
template <typename Run>
void expect_rows_for_all(const conformance::FamilySubjects& family,
                         std::span<const cairn::Candidate<Run>> candidates,
                         const std::vector<RowPlan>& rows) {
  std::map<std::string, std::vector<std::string>> chosen;
  for (const RowPlan& row : rows) {
    if (row.family != family.family) continue;
    cairn::Choice choice;
    choose(candidates, row.plan.get(), choice);
    chosen[choice.candidate].push_back(row.label);
  }
  for (const cairn::Candidate<Run>& candidate : candidates) {
    const std::vector<std::string>& takers = chosen[candidate.name];
    if (!takers.empty()) {
      std::printf("%s %s: %s, %zu rows\n", family.name, candidate.name, takers.front().c_str(),
                  takers.size());
      continue;
    }
    bool excused = false;
    std::string reasons;
    for (const RowPlan& row : rows) {
      if (row.family != family.family) continue;
      const char* reason = candidate.why_not(row.plan.get());
      excused = excused || (reason != nullptr && speaks_against_any_row(reason));
      reasons += "\n  " + row.label + ": " + (reason != nullptr ? reason : "an earlier one takes it");
    }
    EXPECT_TRUE(excused) << "no row of cairn bench takes " << family.name << "'s " << candidate.name
                         << reasons;
  }
}

}  // namespace bench_test
