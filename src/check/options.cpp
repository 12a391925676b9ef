#include "check/options.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace cairn::check {
namespace {

// Applies `set` to each rule that the names mean: rules or groups, with plus signs between them. Returns the
// first name that means none, or nothing.
template <typename Set>
std::string_view first_unknown(std::string_view names, Set set) {
  while (!names.empty()) {
    const std::size_t plus = names.find('+');
    const std::string_view name = names.substr(0, plus);
    bool known = false;
    for (const Rule& rule : rules()) {
      if (name != rule.name && name != rule.group) continue;
      set(static_cast<std::size_t>(rule.id));
      known = true;
    }
    if (!known) return name.empty() ? "\"\"" : name;
    names = plus == std::string_view::npos ? std::string_view() : names.substr(plus + 1);
  }
  return {};
}

template <typename Set>
bool for_each_rule(std::string_view names, Set set) {
  return first_unknown(names, set).empty();
}

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_flag(std::string_view name, Options& options) {
  if (name == "1") return true;
  if (name == "late") return options.timing.late = true;
  if (name == "notes") return options.notes = true;
  if (name == "halt") return options.halt = true;
  if (name == "gen-suppressions") return options.suppression_lines = true;
  if (name == "poison") return options.poison.emplace(std::uint8_t{0xA5}) != 0;
  if (name != "werror") return false;
  options.as_error.fill(true);
  return true;
}

// What is wrong with a word that read_option refuses.
std::string why_wrong(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  const std::string value(equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1));
  if (name == "only" || name == "skip" || name == "werror") {
    const std::string_view unknown = first_unknown(value, [](std::size_t) {});
    return name + ": there is no rule or group " + std::string(unknown) +
           " (cairn check --list-rules names them)";
  }
  if (name == "poison") return "poison is " + value + ", expected a byte, 0 to 255";
  constexpr std::array<std::string_view, 4> kNumbers = {"error-exitcode", "workspace", "seed", "max"};
  if (std::ranges::find(kNumbers, name) != kNumbers.end())
    return name + " is " + value + ", expected a number";
  return "there is no option " + std::string(word) + " (cairn check --help lists them)";
}

}  // namespace

bool read_option(std::string_view word, Options& options) {
  const std::size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  if (equals == std::string_view::npos) return read_flag(name, options);
  const std::string_view value = word.substr(equals + 1);
  if (name == "only") {
    options.on.fill(false);
    return for_each_rule(value, [&](std::size_t id) { options.on[id] = true; });
  }
  if (name == "skip") return for_each_rule(value, [&](std::size_t id) { options.on[id] = false; });
  if (name == "werror") return for_each_rule(value, [&](std::size_t id) { options.as_error[id] = true; });
  if (name == "poison") return read_number(value, options.poison.emplace());
  if (name == "error-exitcode") return read_number(value, options.exit_code);
  if (name == "workspace") return read_number(value, options.workspace);
  if (name == "seed") return read_number(value, options.timing.seed.emplace());
  if (name == "max") return read_number(value, options.most);
  std::string* const text = name == "suppressions" ? &options.suppressions
                            : name == "out"        ? &options.out
                            : name == "log-file"   ? &options.log_file
                                                   : nullptr;
  if (text == nullptr) return false;
  *text = value;
  return true;
}

std::string read_options(std::string_view words, Options& options) {
  while (!words.empty()) {
    const std::size_t comma = words.find(',');
    const std::string_view word = words.substr(0, comma);
    if (!word.empty() && !read_option(word, options)) return why_wrong(word);
    words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
  }
  return {};
}

}  // namespace cairn::check
