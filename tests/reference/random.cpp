#include "reference/random.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace reference {

std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
  const char* set = std::getenv(name);
  const std::string_view text = set != nullptr ? set : "";
  if (text.empty()) return otherwise;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  std::fprintf(stderr, "%s is \"%s\", expected a number\n", name, set);
  std::exit(2);
}

}  // namespace reference
