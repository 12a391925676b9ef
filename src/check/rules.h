#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace cairn::check {

enum class Level : std::uint8_t { kNote, kWarning, kError };
const char* name_of(Level level);

// What can be wrong with a program. The names are those of reports, options, suppressions and pages.
enum class RuleId : std::uint8_t {
#define CAIRN_RULE(name, group, level, text, npu, fix) name,
#include "check/rules.def"
#undef CAIRN_RULE
};

struct Rule {
  RuleId id;
  const char* name;
  const char* group;  // memory order init lifetime calls leaks
  Level level;
  const char* text;  // when it is reported
  const char* npu;   // what happens on an NPU
  const char* fix;
};

std::span<const Rule> rules();
const Rule& rule(RuleId id);
// Null when there is none of that name.
const Rule* find_rule(std::string_view name);
bool is_group(std::string_view name);

}  // namespace cairn::check
