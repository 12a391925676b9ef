#include "report_files.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace cairn::tool {
namespace {

using check::Finding;
using check::Level;
using check::Related;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result.push_back('\\');
      result.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      result.append(code.data());
    } else {
      result.push_back(c);
    }
  }
  result.push_back('"');
  return result;
}

template <typename Items, typename Write>
std::string list_of(const Items& items, Write write) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text.append(",");
    text.append(write(item));
  }
  return text.append("]");
}

std::string json_of(const Frame& frame) {
  return "{\"function\":" + quoted(frame.function) + ",\"file\":" + quoted(frame.file) +
         ",\"line\":" + std::to_string(frame.line) + ",\"module\":" + quoted(frame.module) +
         ",\"offset\":" + std::to_string(frame.offset) + "}";
}

std::string json_of(const std::vector<Frame>& stack) {
  return list_of(stack, [](const Frame& frame) { return json_of(frame); });
}

std::string json_of(const Finding& finding) {
  const std::string related = list_of(finding.related, [](const Related& other) {
    return "{\"what\":" + quoted(other.what + ": " + other.call + other.more) +
           ",\"stack\":" + json_of(other.stack) + "}";
  });
  return "{\"rule\":" + quoted(finding.rule->name) + ",\"level\":" + quoted(check::name_of(finding.level)) +
         ",\"message\":" + quoted(finding.message) + ",\"call\":" + quoted(finding.call) +
         ",\"count\":" + std::to_string(finding.count) + ",\"process\":" + std::to_string(finding.process) +
         ",\"thread\":" + quoted(finding.thread) + ",\"stack\":" + json_of(finding.stack) +
         ",\"related\":" + related + ",\"npu\":" + quoted(finding.npu) + ",\"fix\":" + quoted(finding.fix) +
         "}";
}

std::uint64_t count_of(const Report& report, Level level) {
  std::uint64_t count = 0;
  for (const Finding& finding : report.findings) count += finding.level == level ? finding.count : 0;
  return count;
}

// The same finding after the lines above it have changed: rule, functions, message's first word.
std::string fingerprint(const Finding& finding) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto mix = [&](const std::string& text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  mix(finding.rule->name);
  for (const Frame& frame : finding.stack) mix(frame.function);
  mix(finding.call);
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

const Frame* innermost_with_file(const std::vector<Frame>& stack) {
  const auto found = std::ranges::find_if(stack, [](const Frame& frame) { return !frame.file.empty(); });
  return found == stack.end() ? nullptr : &*found;
}

std::string sarif_location(const Frame& frame, const std::string& message) {
  const std::string uri = (frame.file.front() == '/' ? "file://" : "") + frame.file;
  const std::string text = message.empty() ? "" : ",\"message\":{\"text\":" + quoted(message) + "}";
  return "{\"physicalLocation\":{\"artifactLocation\":{\"uri\":" + quoted(uri) +
         "},\"region\":{\"startLine\":" + std::to_string(std::max(frame.line, 1)) +
         "}},\"logicalLocations\":[{\"fullyQualifiedName\":" + quoted(frame.function) + "}]" + text + "}";
}

std::string sarif_result(const Finding& finding) {
  const Frame* const at = innermost_with_file(finding.stack);
  std::string related = "[";
  for (const Related& other : finding.related) {
    const Frame* const place = innermost_with_file(other.stack);
    if (place == nullptr) continue;
    if (related.size() > 1) related.append(",");
    related.append(sarif_location(*place, other.what + ": " + other.call));
  }
  const std::string text =
      finding.message + "\nOn an NPU: " + finding.npu + (finding.fix.empty() ? "" : "\nFix: " + finding.fix);
  return "{\"ruleId\":" + quoted(finding.rule->name) + ",\"level\":" + quoted(check::name_of(finding.level)) +
         ",\"message\":{\"text\":" + quoted(text) + "},\"locations\":[" +
         (at == nullptr ? "" : sarif_location(*at, "")) + "],\"relatedLocations\":" + related +
         "],\"partialFingerprints\":{\"cairnCheck/v1\":" + quoted(fingerprint(finding)) +
         "},\"occurrenceCount\":" + std::to_string(std::max<std::uint64_t>(finding.count, 1)) + "}";
}

std::string xml(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result.append("&lt;");
    } else if (c == '>') {
      result.append("&gt;");
    } else if (c == '&') {
      result.append("&amp;");
    } else if (c == '"') {
      result.append("&quot;");
    } else {
      result.push_back(c);
    }
  }
  return result;
}

}  // namespace

std::string as_json(const Report& report) {
  return "{\"version\":1,\"program\":" + quoted(report.run.program) +
         ",\"exit_code\":" + std::to_string(report.run.exit_code) + ",\"findings\":" +
         list_of(report.findings, [](const Finding& finding) { return json_of(finding); }) +
         ",\"summary\":{\"errors\":" + std::to_string(count_of(report, Level::kError)) +
         ",\"warnings\":" + std::to_string(count_of(report, Level::kWarning)) +
         ",\"notes\":" + std::to_string(count_of(report, Level::kNote)) +
         ",\"suppressed\":" + std::to_string(report.run.suppressed) +
         ",\"calls\":" + std::to_string(report.run.calls) +
         ",\"operators\":" + std::to_string(report.run.operators) +
         ",\"streams\":" + std::to_string(report.run.streams) +
         ",\"not_watched\":" + quoted(report.run.not_watched) + "}}\n";
}

std::string as_sarif(const Report& report) {
  const std::string rules = list_of(check::rules(), [](const check::Rule& rule) {
    return "{\"id\":" + quoted(rule.name) + ",\"shortDescription\":{\"text\":" + quoted(rule.text) +
           "},\"help\":{\"text\":" + quoted(rule.fix) +
           "},\"defaultConfiguration\":{\"level\":" + quoted(check::name_of(rule.level)) + "}}";
  });
  return "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
         "\"tool\":{\"driver\":{\"name\":\"cairn check\",\"version\":\"" CAIRN_VERSION "\",\"rules\":" +
         rules + "}},\"results\":" +
         list_of(report.findings, [](const Finding& finding) { return sarif_result(finding); }) + "}]}\n";
}

std::string as_junit(const Report& report) {
  std::string cases;
  std::size_t failures = 0;
  for (const check::Rule& rule : check::rules()) {
    std::string failed;
    for (const Finding& finding : report.findings) {
      if (finding.rule == &rule && finding.level == Level::kError)
        failed.append(xml(check::text_of(finding, "cairn")));
    }
    cases.append("  <testcase classname=\"cairn check\" name=\"").append(rule.name).append("\"");
    if (failed.empty()) {
      cases.append("/>\n");
      continue;
    }
    ++failures;
    cases.append(">\n    <failure message=\"").append(rule.name).append("\">").append(failed);
    cases.append("</failure>\n  </testcase>\n");
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"" + xml(report.run.program) +
         "\" tests=\"" + std::to_string(check::rules().size()) + "\" failures=\"" + std::to_string(failures) +
         "\">\n" + cases + "</testsuite>\n";
}

}  // namespace cairn::tool
