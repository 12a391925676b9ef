#include "compile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "coverage.h"
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

void forget_oldest(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> programs;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    programs.emplace_back(entry.last_write_time(ignored), entry.path());
  }
  if (programs.size() <= kKeptPrograms) return;
  std::sort(programs.begin(), programs.end());
  programs.resize(programs.size() - kKeptPrograms);
  for (const auto& [time, path] : programs) fs::remove_all(path, ignored);
}

bool links(const std::vector<std::string>& arguments) {
  constexpr std::array<std::string_view, 5> kStopsBeforeLinking = {"-c", "-S", "-E", "-fsyntax-only", "-M"};
  return std::find_first_of(arguments.begin(), arguments.end(), kStopsBeforeLinking.begin(),
                            kStopsBeforeLinking.end()) == arguments.end();
}

void explain_failure(int status, const Tree& tree, const std::vector<std::string>& sources) {
  if (status == 127) {
    std::fputs("cairn: a C++ compiler is needed: c++, or what CXX names (on Debian: apt-get install g++)\n",
               stderr);
  } else {
    explain_missing_headers(tree, sources);
  }
}

}  // namespace

std::vector<std::string> compiler_command(const Tree& tree, const std::vector<std::string>& arguments) {
  const std::string include = (tree.prefix / "include").string();
  const std::string libraries = (tree.prefix / "lib64").string();
  std::vector<std::string> command = words(variable_or("CXX", "c++"));
  const fs::path mstx = tree.prefix / "tools" / "mstx";
  command.insert(command.end(), {"-I" + include, "-I" + include + "/aclnn", "-I" + include + "/aclnnop",
                                 "-I" + (mstx / "include").string()});
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (links(arguments)) {
    command.insert(command.end(),
                   {"-L" + libraries, "-Wl,-rpath," + libraries, "-lopapi", "-lnnopbase", "-lacl_rt"});
    // Programs that mark nothing do without it.
    if (const fs::path folder = mstx / "lib64"; fs::exists(folder / "libms_tools_ext.so")) {
      command.insert(command.end(), {"-L" + folder.string(), "-Wl,-rpath," + folder.string(),
                                     "-Wl,--push-state,--as-needed", "-lms_tools_ext", "-Wl,--pop-state"});
    }
  }
  return command;
}

bool is_source(const fs::path& program) {
  std::string suffix = program.extension().string();
  if (suffix == ".C") return true;  // .c is C
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 5> kSuffixes = {".cpp", ".cc", ".cxx", ".cp", ".c++"};
  return std::find(kSuffixes.begin(), kSuffixes.end(), suffix) != kSuffixes.end();
}

int compile_as_told(const Tree& tree, const std::vector<std::string>& arguments) {
  const int status = run(compiler_command(tree, arguments));
  if (status == 0) return 0;
  std::vector<std::string> sources;
  std::ranges::copy_if(arguments, std::back_inserter(sources),
                       [](const std::string& word) { return is_source(word) && fs::is_regular_file(word); });
  explain_failure(status, tree, sources);
  return status;
}

namespace {

// The compiler's words for this source file, whatever its suffix means to the compiler.
std::vector<std::string> source_command(const Tree& tree, const std::string& source,
                                        const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"-O2"};
  for (std::string& flag : words(variable_or("CXXFLAGS", ""))) arguments.push_back(std::move(flag));
  arguments.insert(arguments.end(),
                   {"-x", "c++", source.front() == '-' ? "./" + source : source, "-x", "none"});
  arguments.insert(arguments.end(), more.begin(), more.end());
  return compiler_command(tree, arguments);
}

std::string content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The name of the program that this text and these flags give.
std::string program_name(const fs::path& source, std::uint64_t key) {
  constexpr std::size_t kLongestStem = 100;  // with the digits it must remain a file name
  std::array<char, 18> digits{};
  std::snprintf(digits.data(), digits.size(), "-%016llx", static_cast<unsigned long long>(key));
  return source.stem().string().substr(0, kLongestStem) + digits.data();
}

// The program's path in `folder`, compiled now unless it is there.
int compile_into(const fs::path& folder, const Tree& tree, const fs::path& source, fs::path& program) {
  const TemporaryFolder unfinished(folder, ".unfinished-");
  // The preprocessed text holds everything a header or a macro can change.
  const std::vector<std::string> preprocess = source_command(tree, source.string(), {"-E"});
  How how{.output = unfinished.path() / "text", .temporary = unfinished.path(), .apart = true};
  if (const int status = run(preprocess, how)) {
    explain_failure(status, tree, {source.string()});
    return status;
  }
  std::uint64_t key = hash(content_of(how.output));
  for (const std::string& word : preprocess) key = hash(word + '\n', key);

  program = folder / program_name(source, key);
  std::error_code ignored;
  if (is_own_program(program)) {
    fs::last_write_time(program, fs::file_time_type::clock::now(),
                        ignored);  // the oldest are forgotten first
    return 0;
  }
  // Built beside its place and moved there: nobody ever runs half a program.
  const fs::path built = unfinished.path() / "program";
  how.output.clear();
  if (const int status = run(source_command(tree, source.string(), {"-o", built.string()}), how)) {
    if (status < 128) {
      std::fprintf(stderr,
                   "cairn: %s was not compiled, so nothing was run (a program of several files: cairn c++ "
                   "FILES -o program, then cairn run program)\n",
                   source.c_str());
    }
    return status;
  }
  fs::permissions(built, fs::perms::owner_all);  // also under a mask that lets others write
  if (fs::is_directory(fs::symlink_status(program))) fs::remove_all(program, ignored);
  fs::rename(built, program);
  return 0;
}

}  // namespace

Compiled compile(const Tree& tree, const fs::path& source) {
  Compiled result{.folder = program_folder(tree)};
  result.status = compile_into(result.folder.path, tree, source, result.program);
  if (result.status == 0) forget_oldest(result.folder.path);
  return result;
}

}  // namespace cairn::tool
