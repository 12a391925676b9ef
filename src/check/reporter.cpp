#include "check/reporter.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace cairn::check {
namespace {

// One write each, so that lines of several processes do not mix.
void write_all(int file, const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
}

bool has_lines(const std::vector<Frame>& stack) {
  return stack.empty() || std::ranges::any_of(stack, [](const Frame& frame) { return !frame.file.empty(); });
}

}  // namespace

Reporter::Reporter(const Options& options, bool is_child)
    : options_(options), suppressions_(options.suppressions), process_(getpid()), is_child_(is_child) {
  if (!options.log_file.empty()) {
    const int opened = open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (opened >= 0) log_ = opened;
  }
}

Reporter::~Reporter() {
  if (log_ != STDERR_FILENO) close(log_);
}

// Whether another process of the run has reported before this one.
bool Reporter::has_predecessor() const {
  if (options_.out.empty()) return is_child_;
  const std::string own = std::to_string(process_) + ".records";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(options_.out, ignored)) {
    if (entry.path().filename() != own) return true;
  }
  return false;
}

const std::string& Reporter::prefix() {
  if (prefix_.empty()) prefix_ = has_predecessor() ? "cairn[" + std::to_string(process_) + "]" : "cairn";
  return prefix_;
}

void Reporter::print(const std::string& text) const { write_all(log_, text); }

void Reporter::write_record(const std::string& line) const {
  if (options_.out.empty()) return;
  const std::string file = options_.out + "/" + std::to_string(process_) + ".records";
  const int opened = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (opened < 0) return;
  write_all(opened, line);
  close(opened);
}

bool Reporter::is_first_without_lines(const Finding& finding) {
  if (said_no_lines_ || has_lines(finding.stack)) return false;
  return said_no_lines_ = true;
}

void Reporter::report(Finding finding, std::uint64_t key) {
  if (!wants(finding.rule->id)) return;
  finding.level = options_.level(finding.rule->id, finding.level);
  finding.process = process_;
  const auto [place, is_new] = seen_.try_emplace(key, findings_.size());
  if (!is_new) {
    if (place->second == SIZE_MAX) {
      ++suppressed_;
      return;
    }
    Finding& before = findings_[place->second];
    ++before.count;
    errors_ += before.level == Level::kError ? 1 : 0;
    return;
  }
  if (suppressions_.match(finding)) {
    place->second = SIZE_MAX;
    ++suppressed_;
    return;
  }
  errors_ += finding.level == Level::kError ? finding.count : 0;
  const bool shown = finding.level != Level::kNote || options_.notes;
  if (shown && printed_[static_cast<std::size_t>(finding.rule->id)]++ < options_.most) {
    std::string text = text_of(finding, prefix());
    if (is_first_without_lines(finding)) text += "  (compile the program with -g for files and lines)\n";
    if (options_.suppression_lines) text += "  suppression: " + suppression_of(finding) + "\n";
    print(text + "\n");
  }
  write_record(record_of(finding));
  const bool ends = options_.halt && finding.level == Level::kError;
  findings_.push_back(std::move(finding));
  if (ends) {
    finish({.program = program_invocation_short_name, .exit_code = options_.exit_code});
    syscall(SYS_exit_group, options_.exit_code);
  }
}

std::uint64_t Reporter::finish(const RunInfo& run) {
  RunInfo told = run;
  told.suppressed = suppressed_;
  if (options_.out.empty()) {
    if (!findings_.empty()) print(summary_text(findings_, told, options_.notes));
    return errors_;
  }
  std::string lines;
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    if (findings_[i].count > 1)
      lines += "count\t" + std::to_string(i) + "\t" + std::to_string(findings_[i].count) + "\n";
  }
  write_record(lines + record_of(told));
  return errors_;
}

}  // namespace cairn::check
