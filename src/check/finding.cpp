#include "check/finding.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace cairn::check {
namespace {

std::string plural(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::uint64_t total(const std::vector<Finding>& findings, Level level) {
  std::uint64_t sum = 0;
  for (const Finding& finding : findings) sum += finding.level == level ? finding.count : 0;
  return sum;
}

std::string head_line(const std::vector<Finding>& findings, const RunInfo& run) {
  std::string text = "cairn check: ";
  const std::uint64_t errors = total(findings, Level::kError);
  const std::uint64_t warnings = total(findings, Level::kWarning);
  const std::uint64_t notes = total(findings, Level::kNote);
  if (errors + warnings + notes == 0) {
    text += "nothing found";
  } else {
    text += plural(errors, "error") + ", " + plural(warnings, "warning") + ", " + plural(notes, "note");
  }
  text += " · " + run.program +
          (run.ended_by_signal ? " was ended by signal " + std::to_string(run.exit_code - 128)
                               : " returned " + std::to_string(run.exit_code));
  text += " · " + plural(run.calls, "call") + ", " + plural(run.operators, "operator") + ", " +
          plural(run.streams, "stream");
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), " · %.2f s\n", run.seconds);
  return text + seconds.data();
}

struct Row {
  std::uint64_t count = 0;
  std::string first;
};

constexpr std::size_t kNameWidth = 30;

std::string table_of(const std::vector<Finding>& findings) {
  std::vector<std::pair<const Rule*, Row>> rows;
  for (const Finding& finding : findings) {
    if (finding.level == Level::kNote) continue;
    auto row = std::ranges::find(rows, finding.rule, &std::pair<const Rule*, Row>::first);
    if (row == rows.end()) row = rows.insert(rows.end(), {finding.rule, {0, place_text(finding.stack)}});
    row->second.count += finding.count;
  }
  if (rows.empty()) return {};
  std::string text = "  rule";
  text.append(kNameWidth - 4, ' ').append("found  first at\n");
  for (const auto& [rule, row] : rows) {
    const std::string name = rule->name;
    const std::string count = std::to_string(row.count);
    text.append("  ").append(name).append(kNameWidth > name.size() ? kNameWidth - name.size() : 1, ' ');
    text.append(count.size() < 5 ? 5 - count.size() : 0, ' ').append(count).append("  ");
    text.append(row.first).append("\n");
  }
  return text;
}

std::string notes_of(const std::vector<Finding>& findings) {
  std::map<std::string, std::uint64_t> counts;
  for (const Finding& finding : findings) {
    if (finding.level == Level::kNote) counts[finding.rule->name] += finding.count;
  }
  std::string text;
  for (const auto& [name, count] : counts)
    text += (text.empty() ? "" : ", ") + name + " " + std::to_string(count);
  return text;
}

// Fields are separated by tabs, parts of one by \x1f.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\x1e";
    } else if (c == '\t') {
      result += ' ';
    } else {
      result += c;
    }
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    std::ranges::replace(parts.back(), '\x1e', '\n');
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string joined(const std::vector<std::string>& parts, char separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text.push_back(separator);
    text.append(parts[i]);
  }
  return text;
}

std::string record_of(const std::vector<Frame>& stack) {
  std::vector<std::string> frames;
  frames.reserve(stack.size());
  for (const Frame& frame : stack) {
    frames.push_back(joined({escaped(frame.function), escaped(frame.file), std::to_string(frame.line),
                             escaped(frame.module), std::to_string(frame.offset)},
                            '\x1c'));
  }
  return joined(frames, '\x1d');
}

std::vector<Frame> read_stack(const std::string& text) {
  std::vector<Frame> stack;
  if (text.empty()) return stack;
  for (const std::string& part : split(text, '\x1d')) {
    const std::vector<std::string> fields = split(part, '\x1c');
    if (fields.size() != 5) continue;
    stack.push_back({fields[0], fields[1], std::atoi(fields[2].c_str()), fields[3],
                     static_cast<std::uintptr_t>(std::strtoull(fields[4].c_str(), nullptr, 10))});
  }
  return stack;
}

constexpr std::size_t kFindingFields = 11;
constexpr std::size_t kRunFields = 10;

void read_finding(const std::vector<std::string>& fields, Records& into) {
  const Rule* rule = find_rule(fields[1]);
  if (rule == nullptr) return;
  Finding finding{.rule = rule,
                  .level = static_cast<Level>(std::atoi(fields[2].c_str())),
                  .message = fields[3],
                  .call = fields[4],
                  .stack = read_stack(fields[5]),
                  .npu = fields[6],
                  .fix = fields[7],
                  .thread = fields[8],
                  .process = std::atoi(fields[9].c_str()),
                  .count = std::strtoull(fields[10].c_str(), nullptr, 10)};
  for (std::size_t i = kFindingFields; i < fields.size(); ++i) {
    const std::vector<std::string> parts = split(fields[i], '\x1f');
    if (parts.size() == 4) finding.related.push_back({parts[0], parts[1], read_stack(parts[2]), parts[3]});
  }
  into.findings.push_back(std::move(finding));
}

}  // namespace

std::string text_of(const Finding& finding, std::string_view prefix) {
  std::string text(prefix);
  text.append(": ").append(name_of(finding.level)).append(": ").append(finding.rule->name).append("\n");
  const auto line = [&](std::string_view head, const std::string& body) {
    if (!body.empty()) text.append("  ").append(head).append(body).append("\n");
  };
  line("", finding.message);
  // A leak is where it was made.
  const bool said_below = !finding.related.empty() && finding.related.front().what == "made" &&
                          short_text(finding.related.front().stack) == short_text(finding.stack);
  if (!finding.stack.empty() && !said_below) line("at ", short_text(finding.stack));
  line("thread: ", finding.thread);
  for (const Related& related : finding.related) {
    const std::string place = related.stack.empty() ? "" : " at " + short_text(related.stack);
    line(related.what + ": ", related.call + place + related.more);
  }
  line("on an NPU: ", finding.npu);
  line("fix: ", finding.fix);
  return text;
}

std::string suppression_of(const Finding& finding) {
  std::string line = finding.rule->name;
  for (const Frame& frame : finding.stack) line += " " + frame.function;
  return line;
}

std::string summary_text(const std::vector<Finding>& findings, const RunInfo& run, bool notes) {
  std::string text = head_line(findings, run) + table_of(findings);
  const std::string noted = notes_of(findings);
  if (findings.empty() && run.suppressed == 0 && run.not_watched.empty()) return text;
  text += "  notes" + std::string(notes ? "" : " (--notes)") + ": " + (noted.empty() ? "none" : noted);
  text += "   suppressed: " + std::to_string(run.suppressed);
  return text + "   not watched: " + (run.not_watched.empty() ? "nothing" : run.not_watched) + "\n";
}

std::string record_of(const Finding& finding) {
  std::vector<std::string> fields = {"finding",
                                     finding.rule->name,
                                     std::to_string(static_cast<int>(finding.level)),
                                     escaped(finding.message),
                                     escaped(finding.call),
                                     record_of(finding.stack),
                                     escaped(finding.npu),
                                     escaped(finding.fix),
                                     escaped(finding.thread),
                                     std::to_string(finding.process),
                                     std::to_string(finding.count)};
  for (const Related& related : finding.related) {
    fields.push_back(joined(
        {escaped(related.what), escaped(related.call), record_of(related.stack), escaped(related.more)},
        '\x1f'));
  }
  return joined(fields, '\t').append("\n");
}

std::string record_of(const RunInfo& run) {
  return joined({"run", escaped(run.program), std::to_string(run.exit_code), std::to_string(run.calls),
                 std::to_string(run.operators), std::to_string(run.streams), std::to_string(run.seconds),
                 std::to_string(run.suppressed), escaped(run.not_watched), "."},
                '\t')
      .append("\n");
}

void read_record(std::string_view line, Records& into) {
  const std::vector<std::string> fields = split(line, '\t');
  if (fields[0] == "finding" && fields.size() >= kFindingFields) {
    read_finding(fields, into);
  } else if (fields[0] == "count" && fields.size() == 3) {  // of a finding that was met again
    const auto at = std::strtoull(fields[1].c_str(), nullptr, 10);
    if (at < into.findings.size()) into.findings[at].count = std::strtoull(fields[2].c_str(), nullptr, 10);
  } else if (fields[0] == "run" && fields.size() == kRunFields) {
    const auto number = [&](std::size_t i) { return std::strtoull(fields[i].c_str(), nullptr, 10); };
    into.run = {.program = fields[1],
                .exit_code = std::atoi(fields[2].c_str()),
                .calls = number(3),
                .operators = number(4),
                .streams = number(5),
                .seconds = std::atof(fields[6].c_str()),
                .suppressed = number(7),
                .not_watched = fields[8]};
    into.complete = true;
  }
}

}  // namespace cairn::check
