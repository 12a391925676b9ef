#include "check/rules.h"

#include <algorithm>
#include <array>

namespace cairn::check {
namespace {

constexpr Level kError = Level::kError;
constexpr Level kWarning = Level::kWarning;
constexpr Level kNote = Level::kNote;

constexpr std::array kRules = {
#define CAIRN_RULE(name, group, level, text, npu, fix) \
  Rule{RuleId::name, #name, #group, level, text, npu, fix},
#include "check/rules.def"
#undef CAIRN_RULE
};

}  // namespace

const char* name_of(Level level) {
  constexpr std::array<const char*, 3> kNames = {"note", "warning", "error"};
  return kNames[static_cast<std::size_t>(level)];
}

std::span<const Rule> rules() { return kRules; }

const Rule& rule(RuleId id) { return kRules[static_cast<std::size_t>(id)]; }

const Rule* find_rule(std::string_view name) {
  const auto* const found =
      std::ranges::find(kRules, name, [](const Rule& r) { return std::string_view(r.name); });
  return found == kRules.end() ? nullptr : found;
}

bool is_group(std::string_view name) {
  return std::ranges::any_of(kRules, [&](const Rule& r) { return name == r.group; });
}

}  // namespace cairn::check
