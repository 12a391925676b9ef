#include "tree.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

namespace cairn::tool {
namespace {

// In single quotes, where a shell takes everything literally but the quote itself.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::optional<std::filesystem::path> source_of(const std::filesystem::path& prefix) {
  constexpr std::string_view key = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(prefix / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return std::nullopt;
}

}  // namespace

Tree Tree::of_this_program() {
  const std::filesystem::path prefix =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
  return {prefix, source_of(prefix)};
}

std::vector<Variable> environment(const Tree& tree) {
  const std::string prefix = tree.prefix.string();
  return {
      {"ASCEND_HOME_PATH", prefix},
      {"ASCEND_TOOLKIT_HOME", prefix},
      {"ASCEND_AICPU_PATH", prefix},
      {"ASCEND_OPP_PATH", prefix + "/opp"},
      {"ASCEND_CUSTOM_PATH", prefix},
      {"TOOLCHAIN_HOME", prefix + "/toolkit"},
      {"PATH", prefix + "/bin", true},
      {"LD_LIBRARY_PATH", prefix + "/lib64", true},
      {"PYTHONPATH", prefix + "/python/site-packages", true},
      {"CMAKE_PREFIX_PATH", prefix + "/lib64/cmake", true},
      {"PKG_CONFIG_PATH", prefix + "/lib64/pkgconfig", true},
  };
}

void set_environment(const Tree& tree) {
  for (const auto& [name, value, is_list] : environment(tree)) {
    const char* before = is_list ? std::getenv(name.c_str()) : nullptr;
    const std::string whole = before != nullptr && *before != '\0' ? value + ":" + before : value;
    setenv(name.c_str(), whole.c_str(), 1);
  }
}

void print_environment(const Tree& tree) {
  for (const auto& [name, value, is_list] : environment(tree)) {
    // An empty element of a search path would mean the current folder, so the colon comes only with something
    // behind it.
    const std::string rest = is_list ? "\"${" + name + ":+:$" + name + "}\"" : "";
    std::printf("export %s=%s%s\n", name.c_str(), in_quotes(value).c_str(), rest.c_str());
  }
}

}  // namespace cairn::tool
