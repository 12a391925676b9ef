#include "runtime/config.h"

#include <cctype>

namespace cairn {

// Checks what can go wrong by accident (an empty, cut or foreign file): strings end, brackets match.
std::optional<std::string> normalise_config(std::string_view text) {
  std::string result;
  std::string open;
  bool in_string = false;
  bool escaped = false;
  for (const char c : text) {
    if (!in_string && std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    if (!result.empty() && open.empty()) return std::nullopt;
    result += c;
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      open += c == '{' ? '}' : ']';
    } else if (c == '}' || c == ']') {
      if (open.empty() || open.back() != c) return std::nullopt;
      open.pop_back();
    }
    if (result.front() != '{') return std::nullopt;
  }
  if (result.empty() || !open.empty()) return std::nullopt;
  return result;
}

bool wants_process_wide_text(std::string_view config) {
  return config.find(R"("err_msg_mode":"1")") != std::string_view::npos;
}

}  // namespace cairn
