#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/finding.h"
#include "check/options.h"
#include "check/suppressions.h"

namespace cairn::check {

// Where findings go: counted, printed once, written down for the tool. One process's.
class Reporter {
 public:
  // `is_child`: of fork(), whose parent may have reported.
  explicit Reporter(const Options& options, bool is_child = false);
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  ~Reporter();

  bool wants(RuleId id) const { return options_.on[static_cast<std::size_t>(id)]; }
  // `key` says which findings are the same.
  void report(Finding finding, std::uint64_t key);
  // The last lines, and what the tool needs to make its own; the number of errors.
  std::uint64_t finish(const RunInfo& run);
  bool has_found(RuleId id) const {
    return std::ranges::any_of(findings_, [&](const Finding& finding) { return finding.rule->id == id; });
  }
  const std::vector<Finding>& findings() const { return findings_; }
  void print(const std::string& text) const;

 private:
  void write_record(const std::string& line) const;
  const std::string& prefix();
  bool has_predecessor() const;
  bool is_first_without_lines(const Finding& finding);

  const Options& options_;
  const Suppressions suppressions_;
  int log_ = 2;  // stderr
  int process_;
  std::string prefix_;  // of its lines, from the first on
  const bool is_child_;
  std::uint64_t errors_ = 0;
  std::uint64_t suppressed_ = 0;
  bool said_no_lines_ = false;
  std::vector<Finding> findings_;
  std::unordered_map<std::uint64_t, std::size_t> seen_;  // key to place; the end: suppressed
  std::array<std::uint64_t, kMostRules> printed_{};
};

}  // namespace cairn::check
