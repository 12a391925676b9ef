#include "compile.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "process.h"

namespace cairn::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKeptPrograms = 64;

std::string variable_or(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string word; stream >> word;) result.push_back(word);
  return result;
}

// FNV-1a: a name for a text, not a defence against someone who wants two texts to have one name.
std::uint64_t hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return seed;
}

// A build tree keeps its programs to itself, so that deleting it leaves nothing behind.
fs::path cache_folder(const Tree& tree) {
  if (tree.source) return tree.prefix / "run";
  const std::string home = variable_or("HOME", "/tmp");
  return fs::path(variable_or("XDG_CACHE_HOME", (home + "/.cache").c_str())) / "cairn" / "run";
}

void forget_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    programs.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  if (programs.size() <= kKeptPrograms) return;
  std::sort(programs.begin(), programs.end());
  programs.resize(programs.size() - kKeptPrograms);
  for (const auto& [time, path] : programs) fs::remove(path, ignored);
}

bool links(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 5> kStopsBeforeLinking = {"-c", "-S", "-E", "-fsyntax-only", "-M"};
  return std::find_first_of(arguments.begin(), arguments.end(), kStopsBeforeLinking.begin(),
                            kStopsBeforeLinking.end()) == arguments.end();
}

}  // namespace

std::vector<std::string> compiler_command(const Tree& tree, const std::vector<std::string>& arguments) {
  const std::string include = (tree.prefix / "include").string();
  const std::string libraries = (tree.prefix / "lib64").string();
  std::vector<std::string> command = words(variable_or("CXX", "c++"));
  command.insert(command.end(), {"-I" + include, "-I" + include + "/aclnn", "-I" + include + "/aclnnop"});
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (links(arguments)) {
    command.insert(command.end(),
                   {"-L" + libraries, "-Wl,-rpath," + libraries, "-lopapi", "-lnnopbase", "-lacl_rt"});
  }
  return command;
}

bool is_source(const fs::path& program) {
  constexpr std::array<std::string_view, 5> kSuffixes = {".cpp", ".cc", ".cxx", ".c++", ".C"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), program.extension().string()) != kSuffixes.end();
}

Compiled compile(const Tree& tree, const fs::path& source) {
  std::vector<std::string> flags = {"-O2"};
  for (std::string& flag : words(variable_or("CXXFLAGS", ""))) flags.push_back(std::move(flag));

  // The preprocessed text holds everything a header or a macro can change.
  std::vector<std::string> preprocess = flags;
  preprocess.insert(preprocess.end(), {"-E", source.string()});
  const std::vector<std::string> preprocess_command = compiler_command(tree, preprocess);
  const Captured text = run_captured(preprocess_command);
  if (text.status != 0) return {text.status, {}};
  std::uint64_t key = hash(text.output);
  for (const std::string& word : preprocess_command) key = hash(word + '\n', key);

  const fs::path folder = cache_folder(tree);
  fs::create_directories(folder);
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(key));
  const fs::path program = folder / (source.stem().string() + "-" + digits.data());
  std::error_code absent;
  fs::last_write_time(program, fs::file_time_type::clock::now(), absent);  // the oldest are forgotten first
  if (!absent) return {0, program};

  // Built beside its place and moved there: nobody ever runs half a program.
  const fs::path unfinished = program.string() + "." + std::to_string(getpid());
  std::vector<std::string> build = flags;
  build.insert(build.end(), {source.string(), "-o", unfinished.string()});
  const int status = run(compiler_command(tree, build));
  if (status != 0) {
    fs::remove(unfinished, absent);
    return {status, {}};
  }
  fs::rename(unfinished, program);
  forget_oldest(folder);
  return {0, program};
}

}  // namespace cairn::tool
