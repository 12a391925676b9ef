#include "check.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "check/finding.h"
#include "check/options.h"
#include "check/rules.h"
#include "private_folder.h"
#include "programs.h"
#include "report_files.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  std::string program;
  std::vector<std::string> arguments;
  std::string product;
  std::string only, skip, werror, poison, workspace, seed, most, suppressions, log_file;
  std::string json, junit, sarif, explained;
  int exit_code = 99;
  bool late = false;
  bool notes = false, halt = false, suppression_lines = false;
  bool list_rules = false;
};

int wrong_use(const std::string& why) {
  std::fprintf(stderr, "cairn: check: %s\n", why.c_str());
  return kWrongUse;
}

int list_rules() {
  for (const check::Rule& rule : check::rules())
    std::printf("%-30s %-9s %-8s %s\n", rule.name, rule.group, check::name_of(rule.level), rule.text);
  return 0;
}

int explain(const std::string& name) {
  const check::Rule* const rule = check::find_rule(name);
  if (rule == nullptr)
    return wrong_use("there is no rule " + name + " (cairn check --list-rules names them)");
  std::printf("%s (%s, %s)\n  %s\n  on an NPU: %s\n  fix: %s\n", rule->name, rule->group,
              check::name_of(rule->level), rule->text, rule->npu, rule->fix);
  for (const FaultyProgram& program : faulty_programs()) {
    if (std::string_view(program.text).starts_with("// " + name + ","))
      std::printf("\n%s.cpp, right with -DFIXED, wrong without:\n\n%s", program.name, program.text);
  }
  return 0;
}

void add_word(std::string& words, const std::string& name, std::string value) {
  if (value.empty()) return;
  std::ranges::replace(value, ',', '+');
  words.append(",").append(name).append("=").append(value);
}

// What CAIRN_CHECK says; paths are made absolute, since the program may change its folder.
std::string words_for(const CheckOptions& given, const fs::path& out) {
  std::string words = "1";
  add_word(words, "only", given.only);
  add_word(words, "skip", given.skip);
  if (given.werror != "all") add_word(words, "werror", given.werror);
  add_word(words, "poison", given.poison);
  add_word(words, "workspace", given.workspace);
  add_word(words, "seed", given.seed);
  add_word(words, "max", given.most);
  add_word(words, "error-exitcode", std::to_string(given.exit_code));
  if (given.werror == "all") words += ",werror";
  if (given.notes) words += ",notes";
  if (given.late) words += ",late";
  if (given.halt) words += ",halt";
  if (given.suppression_lines) words += ",gen-suppressions";
  if (!given.suppressions.empty()) words += ",suppressions=" + fs::absolute(given.suppressions).string();
  if (!given.log_file.empty()) words += ",log-file=" + fs::absolute(given.log_file).string();
  return words + ",out=" + out.string();
}

// What every process of the run has left.
Report read_reports(const fs::path& folder) {
  Report all;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files, {}, [](const fs::path& file) { return fs::last_write_time(file); });
  for (const fs::path& file : files) {
    check::Records records;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) check::read_record(line, records);
    all.findings.insert(all.findings.end(), records.findings.begin(), records.findings.end());
    all.run.calls += records.run.calls;
    all.run.operators += records.run.operators;
    all.run.streams += records.run.streams;
    all.run.suppressed += records.run.suppressed;
    if (records.complete) all.run.exit_code = records.run.exit_code;  // the program's own ends last
    all.run.seconds = std::max(all.run.seconds, records.run.seconds);
    if (!records.run.not_watched.empty()) all.run.not_watched = records.run.not_watched;
  }
  return all;
}

bool write_file(const std::string& file, const std::string& text) {
  if (file.empty()) return true;
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (stream) return true;
  std::fprintf(stderr, "cairn: %s could not be written\n", file.c_str());
  return false;
}

void sum_up(const CheckOptions& given, const Report& report) {
  const std::string text = check::summary_text(report.findings, report.run, given.notes);
  if (given.log_file.empty()) {
    std::fputs(text.c_str(), stderr);
  } else {
    std::ofstream(given.log_file, std::ios::app) << text;
  }
}

// Why this file cannot be written, or nothing. Asked before a run that may take long.
std::string why_not_writable(const std::string& file) {
  std::error_code problem;
  if (file.empty()) return {};
  if (fs::is_directory(file, problem)) return file + " is a folder";
  const fs::path there = fs::exists(file, problem) ? fs::path(file) : fs::absolute(file).parent_path();
  if (access(there.c_str(), W_OK) == 0) return {};
  return file + " cannot be written: " + std::strerror(errno);
}

// What is wrong with the files that the options name, or nothing.
std::string wrong_file(const CheckOptions& given) {
  for (const std::string& file : {given.json, given.sarif, given.junit, given.log_file}) {
    if (std::string wrong = why_not_writable(file); !wrong.empty()) return wrong;
  }
  const std::string& list = given.suppressions;
  if (list.empty() || access(list.c_str(), R_OK) == 0) return {};
  return list + " cannot be read: " + std::strerror(errno);
}

int run_checked(const Tree& tree, const CheckOptions& given) {
  const TemporaryFolder folder(fs::temp_directory_path(), "cairn-check-");
  const std::string words = words_for(given, folder.path());
  check::Options read;
  if (const std::string wrong = check::read_options(words, read); !wrong.empty()) return wrong_use(wrong);
  if (const std::string wrong = wrong_file(given); !wrong.empty()) return wrong_use(wrong);
  // Without it the program would run unwatched, and nothing be found.
  if (const fs::path watcher = tree.prefix / "lib64" / "libcairn_tools.so"; !fs::exists(watcher)) {
    std::fprintf(stderr, "cairn: nothing can be checked: %s is missing\n", watcher.c_str());
    return 127;
  }
  RunOptions options{.product = given.product, .checked = words};
  if (!given.log_file.empty()) fs::remove(given.log_file);
  const int status = run_program(tree, given.program, given.arguments, options);
  if (!options.started) return status;
  Report report = read_reports(folder.path());
  report.run.program = given.program;
  const bool errors = std::ranges::any_of(
      report.findings, [](const check::Finding& found) { return found.level == check::Level::kError; });
  const bool replaced = errors && given.exit_code != 0;
  if (!replaced || status != given.exit_code) report.run.exit_code = status;
  report.run.ended_by_signal = status > 128;
  sum_up(given, report);
  const bool written = write_file(given.json, as_json(report)) && write_file(given.sarif, as_sarif(report)) &&
                       write_file(given.junit, as_junit(report));
  if (replaced) return given.exit_code;
  return written ? status : 1;
}

void add_options(CLI::App& verb, CheckOptions& given) {
  verb.add_option("PROGRAM", given.program, "A C++ source file, compiled with -g, or a binary");
  verb.add_option("ARGUMENTS", given.arguments,
                  "What the program is given; write -- before any that starts with -");
  verb.add_option("--product", given.product, "The product whose rules apply: sets CAIRN_PRODUCT")
      ->type_name("P");
  verb.add_option("--only", given.only, "Only these rules or groups (memory,order,init,lifetime,calls,leaks)")
      ->type_name("RULES");
  verb.add_option("--skip", given.skip, "Leaves rules or groups out")->type_name("RULES");
  verb.add_flag("--werror{all}", given.werror, "Warnings count as errors: all, or =RULE,…");
  verb.add_flag("--notes", given.notes, "Prints notes, too");
  verb.add_option("--error-exitcode", given.exit_code,
                  "When there are errors; 0 keeps the program's. Default: 99")
      ->type_name("N");
  verb.add_flag("--halt", given.halt, "Ends the program at the first error");
  verb.add_flag("--poison{0xA5}", given.poison, "Fresh device memory is 0xA5, or =BYTE, instead of zeros");
  CLI::Option* const late =
      verb.add_flag("--late", given.late, "Queued work begins only when somebody waits for it (CPU device)");
  verb.add_option("--seed", given.seed, "Queued work begins after delays drawn from N (CPU device)")
      ->type_name("N")
      ->excludes(late);
  verb.add_option("--workspace", given.workspace, "Bytes that phase 1 asks for beyond its need. Default: 512")
      ->type_name("N");
  verb.add_option("--suppressions", given.suppressions, "Lines \"rule glob…\" of what is not reported")
      ->type_name("FILE");
  verb.add_flag("--gen-suppressions", given.suppression_lines, "Prints such a line under each finding");
  verb.add_option("--json", given.json, "Writes the findings as JSON")->type_name("FILE");
  verb.add_option("--junit", given.junit, "Writes them for CI that reads JUnit")->type_name("FILE");
  verb.add_option("--sarif", given.sarif, "Writes them for code scanning")->type_name("FILE");
  verb.add_option("--log-file", given.log_file, "Gets the text instead of stderr")->type_name("FILE");
  verb.add_option("--max", given.most, "Different findings printed of one rule. Default: 20")->type_name("N");
  verb.add_flag("--list-rules", given.list_rules, "Prints the rules, and runs nothing");
  verb.add_option("--explain", given.explained, "Prints one with a wrong and a right program")
      ->type_name("RULE");
}

}  // namespace

void add_check(CLI::App& app, const Tree& tree, const std::vector<std::string>& untouched, int& status) {
  CLI::App* const verb = app.add_subcommand("check", "Run a program and name its mistakes: no NPU needed");
  const auto given = std::make_shared<CheckOptions>();
  add_options(*verb, *given);
  verb->callback([given, &tree, &untouched, &status] {
    given->arguments.insert(given->arguments.end(), untouched.begin(), untouched.end());
    if (given->list_rules) {
      status = list_rules();
    } else if (!given->explained.empty()) {
      status = explain(given->explained);
    } else if (given->program.empty()) {
      status = wrong_use("PROGRAM is required (cairn check --help explains it)");
    } else {
      status = run_checked(tree, *given);
    }
  });
}

}  // namespace cairn::tool
