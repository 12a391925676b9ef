// Which functions of CANN a program uses, and which of them Cairn has: for sources by their text, for
// binaries by the names they hold. What Cairn has is asked of its libraries, so that no list can be out of
// date.

#include "coverage.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

#include "ops/catalogue.h"
#include "table.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr std::string_view kPhaseOne = "GetWorkspaceSize";

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A function's name as CANN builds them: aclInit, aclrtMalloc, aclnnMaxPool.
bool looks_like_acl(std::string_view name) {
  if (!name.starts_with("acl") || name.size() < 5 || !std::ranges::all_of(name, is_word)) return false;
  return std::ranges::any_of(name.substr(3), [](unsigned char c) { return std::isupper(c) != 0; }) &&
         name.find('_') == std::string_view::npos;
}

std::string operator_of(std::string_view function) {
  if (function.starts_with("aclnn") && function.ends_with(kPhaseOne))
    function.remove_suffix(kPhaseOne.size());
  return std::string(function);
}

// The text with comments blanked out; a string may hold a name that is looked up at run time, and stays.
std::string without_comments(std::string text) {
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, text.size()); ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  };
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == '"' || text[i] == '\'') {
      const char quote = text[i];
      while (++i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 1 : 0;
    } else if (text.compare(i, 2, "//") == 0) {
      blank(i, text.find('\n', i));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      blank(i, end == std::string::npos ? end : end + 2);
    }
  }
  return text;
}

// Calls f(word, what follows it) for each identifier.
template <typename F>
void each_word(std::string_view text, const F& f) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_word(text[i])) continue;
    const std::size_t begin = i;
    while (i < text.size() && is_word(text[i])) ++i;
    f(text.substr(begin, i - begin), text.substr(i));
  }
}

// An operator's name counts wherever it stands (macros take it, dlsym does); other functions where they are
// called.
Names used_by_source(const std::string& text) {
  Names names;
  each_word(without_comments(text), [&](std::string_view word, std::string_view rest) {
    const std::size_t next = rest.find_first_not_of(" \t\n");
    const bool called = next != std::string_view::npos && rest[next] == '(';
    const bool is_operator = word.starts_with("aclnn") && word.size() > 5 && std::isupper(word[5]) != 0;
    if (looks_like_acl(word) && (called || is_operator)) names.insert(operator_of(word));
  });
  return names;
}

// Names stand in a binary one by one, each with a zero behind it: those it links and those it looks up.
Names used_by_binary(const std::string& bytes) {
  Names names;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\0', begin), bytes.size());
    const std::string_view name(bytes.data() + begin, end - begin);
    if (looks_like_acl(name)) names.insert(operator_of(name));
    begin = end + 1;
  }
  return names;
}

// Types and constants look like functions where they are used as casts: our headers know those.
Names words_of_headers(const Tree& tree) {
  Names words;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(
           tree.prefix / "include", fs::directory_options::follow_directory_symlink, ignored)) {
    if (entry.path().extension() != ".h") continue;
    each_word(content_of(entry.path()), [&](std::string_view word, std::string_view) {
      if (word.starts_with("acl")) words.emplace(word);
    });
  }
  return words;
}

class Libraries {
 public:
  explicit Libraries(const Tree& tree)
      : handle_(dlopen((tree.prefix / "lib64" / "libopapi.so").c_str(), RTLD_LAZY | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  bool have(const std::string& function) const { return dlsym(handle_, function.c_str()) != nullptr; }

 private:
  void* handle_;  // never closed: this process is about to end
};

Names header_includes(const fs::path& file, Names& seen) {
  Names found;
  if (!seen.insert(file.lexically_normal().string()).second) return found;
  std::istringstream lines(without_comments(content_of(file)));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (hash == std::string::npos || line[hash] != '#' || line.find("include", hash) == std::string::npos)
      continue;
    const std::size_t begin = line.find_first_of("<\"", hash);
    const std::size_t end = begin == std::string::npos ? begin : line.find_first_of(">\"", begin + 1);
    if (end == std::string::npos) continue;
    const fs::path name = line.substr(begin + 1, end - begin - 1);
    if (name.filename().string().starts_with("aclnn_")) {
      found.insert(name.string());
    } else if (line[begin] == '"' && fs::is_regular_file(file.parent_path() / name)) {
      found.merge(header_includes(file.parent_path() / name, seen));
    }
  }
  return found;
}

bool has_header(const Tree& tree, const fs::path& name) {
  const fs::path include = tree.prefix / "include";
  return fs::exists(include / name) || fs::exists(include / "aclnnop" / name) ||
         fs::exists(include / "aclnn" / name);
}

}  // namespace

void explain_missing_headers(const Tree& tree, const std::vector<std::string>& sources) {
  Names seen;
  Names missing;
  for (const std::string& source : sources) {
    for (const std::string& name : header_includes(source, seen)) {
      if (!has_header(tree, name)) missing.insert(name);
    }
  }
  if (missing.empty()) return;
  for (const std::string& name : missing) {
    std::fprintf(stderr, "cairn: there is no %s, because Cairn does not have that operator\n", name.c_str());
  }
  std::fputs("cairn: the operators that it has are", stderr);
  for (const Operator* op : catalogue()) {
    std::fprintf(stderr, "%s %s", op == catalogue().front() ? "" : ",", std::string(op->name).c_str());
  }
  std::fputs(" (cairn coverage SOURCE lists what a program uses)\n", stderr);
}

int show_coverage(const Tree& tree, const std::vector<std::string>& files) {
  const Libraries libraries(tree);
  if (!libraries) {
    std::fprintf(stderr, "cairn: the libraries cannot be opened: %s\n", dlerror());
    return 1;
  }
  std::map<std::string, Names> users;  // function → files
  for (const std::string& file : files) {
    if (!fs::is_regular_file(file)) {
      std::fprintf(stderr, "cairn: %s is no file\n", file.c_str());
      return kWrongUse;
    }
    const std::string content = content_of(file);
    const bool binary = content.find('\0') != std::string::npos;
    for (const std::string& name : binary ? used_by_binary(content) : used_by_source(content)) {
      users[name].insert(fs::path(file).filename().string());
    }
  }
  const Names known = words_of_headers(tree);
  std::vector<std::vector<std::string>> rows = {{"function", "in Cairn", "used by"}};
  std::size_t missing = 0;
  for (const auto& [name, where] : users) {
    const bool has = libraries.have(name);
    if (!has && known.contains(name)) continue;
    missing += has ? 0 : 1;
    std::string list;
    for (const std::string& file : where) list += (list.empty() ? "" : ", ") + file;
    rows.push_back({name, has ? "yes" : "no", list});
  }
  if (rows.size() == 1) {
    std::puts("No function of CANN is used there.");
    return 0;
  }
  print_table(rows);
  std::printf("\n%zu of %zu functions are in Cairn.\n", rows.size() - 1 - missing, rows.size() - 1);
  return missing == 0 ? 0 : 1;
}

}  // namespace cairn::tool
