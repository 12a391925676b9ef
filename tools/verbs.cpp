#include "verbs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <thread>

#include "compile.h"
#include "process.h"
#include "product/product.h"

namespace cairn::tool {
namespace {

int needs_source_tree(const char* verb) {
  std::fprintf(stderr, "cairn: %s works in the source tree only; this is an installed cairn\n", verb);
  return kWrongUse;
}

// A program that prints no more than a status hides the sentence that explains it. Warnings: a variable that
// has no effect, a GPU that is not used.
void print_warnings() { setenv("CAIRN_LOG", "warn", 0); }

void add_in_front(const char* variable, const std::string& value, char separator) {
  const char* before = std::getenv(variable);
  const bool has_more = before != nullptr && *before != '\0';
  setenv(variable, (has_more ? value + separator + before : value).c_str(), 1);
}

// What keeps this from being run, or nothing.
std::string wrong_program(const std::string& program) {
  std::error_code problem;
  const auto found = std::filesystem::status(program, problem);
  if (found.type() == std::filesystem::file_type::not_found) return program + " does not exist";
  if (!std::filesystem::is_regular_file(found))
    return program + (problem ? " cannot be read: " + problem.message() : " is neither");
  if (is_source(program) || access(program.c_str(), X_OK) == 0) return {};
  if (std::filesystem::path(program).extension() == ".c")
    return program + " is C: compile it with CXX=cc cairn c++ " + program + " -o program, and run that";
  return program + " is not executable, and its suffix is none of C++ (.cpp, .cc, .cxx, .C)";
}

}  // namespace

int run_program(const Tree& tree, const std::string& program, const std::vector<std::string>& arguments,
                RunOptions& options) {
  if (!options.product.empty()) setenv("CAIRN_PRODUCT", options.product.c_str(), 1);
  if (const ProductChoice product = current_product(); !options.product.empty() && !product) {
    std::fprintf(stderr, "cairn: %s\n", product.error.c_str());
    return kWrongUse;
  }
  if (const std::string wrong = wrong_program(program); !wrong.empty()) {
    std::fprintf(stderr, "cairn: %s needs a C++ source file or a program; %s\n",
                 options.checked.empty() ? "run" : "check", wrong.c_str());
    return kWrongUse;
  }
  // A function whose last call was made a jump would be missing from the stack.
  if (!options.checked.empty()) add_in_front("CXXFLAGS", "-g -fno-optimize-sibling-calls", ' ');
  const HeldSignals held;  // a compiled program that is not kept is removed after its run
  std::optional<Compiled> compiled;
  std::vector<std::string> command = {std::filesystem::absolute(program).string()};
  if (is_source(program)) {
    compiled.emplace(compile(tree, program));
    if (compiled->status != 0) return compiled->status;
    command = {compiled->program.string()};
  }
  command.insert(command.end(), arguments.begin(), arguments.end());
  set_environment(tree);
  if (options.checked.empty()) {
    print_warnings();
  } else {
    setenv("CAIRN_CHECK", options.checked.c_str(), 1);
    add_in_front("LD_PRELOAD", (tree.prefix / "lib64" / "libcairn_tools.so").string(), ':');
    setenv("MSTX_INJECTION_PATH", (tree.prefix / "tools" / "mstx" / "lib64" / "libms_tools_ext.so").c_str(),
           0);
  }
  options.started = true;
  return run(command, {.name = program});
}

int test(const Tree& tree, const std::vector<std::string>& ctest_arguments) {
  if (!tree.source) return needs_source_tree("test");
  const std::string build = tree.prefix.string();
  if (const int status = run({"cmake", "--build", build, "--", "--quiet"}); status != 0) return status;
  const std::string jobs = std::to_string(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::string> command = {
      "ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error", "--parallel", jobs};
  command.insert(command.end(), ctest_arguments.begin(), ctest_arguments.end());
  return run(command);
}

int bench(const Tree& tree, const std::vector<std::string>& arguments) {
  if (!tree.source) return needs_source_tree("bench");
  std::vector<std::string> command = {(tree.prefix / "bin" / "cairn-bench").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, {.name = "cairn bench"});
}

int install(const Tree& tree, const std::string& prefix) {
  if (!tree.source) return needs_source_tree("install");
  const std::string target = std::filesystem::absolute(prefix).lexically_normal().string();
  // CMake would say it in a paragraph of its own.
  std::error_code problem;
  std::filesystem::create_directories(target, problem);
  if (!problem && access(target.c_str(), W_OK) != 0) problem.assign(errno, std::generic_category());
  if (problem) {
    std::fprintf(stderr, "cairn: install cannot write to %s: %s\n", target.c_str(),
                 problem.message().c_str());
    return 1;
  }
  const int status =
      run({"cmake", "--install", tree.prefix.string(), "--prefix", target}, {.output = "/dev/null"});
  if (status != 0) {
    std::fprintf(stderr, "cairn: not everything could be installed into %s\n", target.c_str());
    return status;
  }
  std::printf("Installed into %s\nIn a shell: source %s/set_env.sh\n", target.c_str(), target.c_str());
  return 0;
}

int package(const Tree& tree) {
  if (!tree.source) return needs_source_tree("package");
  // What it does goes to stdout, and what went wrong to stderr.
  if (const int status =
          run({"cmake", "--build", tree.prefix.string(), "--target", "packages"}, {.output = "/dev/null"});
      status != 0) {
    return status;
  }
  const std::filesystem::path packages = tree.prefix / "packages";
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(packages, ignored)) {
    if (entry.is_regular_file()) std::printf("%s\n", entry.path().c_str());
  }
  return 0;
}

int python(const Tree& tree, const std::vector<std::string>& arguments) {
  const char* chosen = std::getenv("PYTHON");
  const std::string interpreter = chosen != nullptr && *chosen != '\0' ? chosen : "python3";
  std::vector<std::string> command = {interpreter};
  if (arguments.empty()) {
    command.insert(command.end(), {"-m", "cairn", "link"});
  } else {
    command.insert(command.end(), arguments.begin(), arguments.end());
  }
  set_environment(tree);
  print_warnings();
  return run(command);
}

}  // namespace cairn::tool
