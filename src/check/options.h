#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/rules.h"
#include "observe/values.h"

namespace cairn::check {

inline constexpr std::size_t kMostRules = 64;

// What CAIRN_CHECK asks for: "1", or words with commas between them:
// "poison,werror,error-exitcode=1,out=DIR". Values with commas in them have plus signs instead:
// "only=memory+order".
struct Options {
  std::array<bool, kMostRules> on;
  std::array<bool, kMostRules> as_error{};
  bool notes = false;
  bool halt = false;
  bool suppression_lines = false;
  int exit_code = 99;
  std::optional<std::uint8_t> poison;
  std::uint64_t workspace = 512;
  QueueTiming timing;
  std::uint64_t most = 20;  // findings printed of one rule
  std::string suppressions;
  std::string out;       // a folder for the tool that merges processes; empty: this process sums up itself
  std::string log_file;  // empty: stderr

  Options() { on.fill(true); }
  Level level(RuleId id, Level found) const {
    return found == Level::kWarning && as_error[static_cast<std::size_t>(id)] ? Level::kError : found;
  }
};

// Reads one word; false when it is none, or its value makes no sense.
bool read_option(std::string_view word, Options& options);
// Says what is wrong with the first wrong word; empty: nothing.
std::string read_options(std::string_view words, Options& options);

}  // namespace cairn::check
