#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "callsite/stack.h"
#include "check/rules.h"

namespace cairn::check {

// Another call that belongs to a finding: the one that allocated, queued, made.
struct Related {
  std::string what;  // "memory", "queued", "made"
  std::string call;  // "aclrtMalloc(size = 322)"
  std::vector<Frame> stack;
  std::string more = {};  // behind the stack
};

// One mistake, in words.
struct Finding {
  const Rule* rule = nullptr;
  Level level = Level::kNote;
  std::string message;
  std::string call;  // the function that was called
  std::vector<Frame> stack;
  std::vector<Related> related = {};
  std::string npu = {};
  std::string fix = {};
  std::string thread = {};  // empty where there is only one
  int process = 0;
  std::uint64_t count = 1;
};

// The report as people read it. `prefix` is "cairn" or, where several processes report, "cairn[42]".
std::string text_of(const Finding& finding, std::string_view prefix);
// The line of a suppression file that silences it.
std::string suppression_of(const Finding& finding);

// What a run was, for its last lines.
struct RunInfo {
  std::string program;
  int exit_code = 0;
  bool ended_by_signal = false;
  std::uint64_t calls = 0;
  std::uint64_t operators = 0;
  std::uint64_t streams = 0;
  double seconds = 0;
  std::uint64_t suppressed = 0;
  std::string not_watched = {};  // empty: nothing
};

// The last lines; one where nothing was found.
std::string summary_text(const std::vector<Finding>& findings, const RunInfo& run, bool notes);

// Findings and the run's figures as lines of text, for the tool that merges processes.
std::string record_of(const Finding& finding);
std::string record_of(const RunInfo& run);
struct Records {
  std::vector<Finding> findings;
  RunInfo run;
  bool complete = false;  // the process came to its end
};
void read_record(std::string_view line, Records& into);

}  // namespace cairn::check
