#include "verbs.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "compile.h"
#include "process.h"

namespace cairn::tool {
namespace {

int needs_source_tree(const char* verb) {
  std::fprintf(stderr, "cairn: %s works in the source tree only; this is an installed cairn\n", verb);
  return kWrongUse;
}

}  // namespace

int run_program(const Tree& tree, const std::string& program, const std::vector<std::string>& arguments) {
  if (!std::filesystem::is_regular_file(program)) {
    std::fprintf(stderr, "cairn: run needs a C++ source file or a program; %s %s\n", program.c_str(),
                 std::filesystem::exists(program) ? "is neither" : "does not exist");
    return kWrongUse;
  }
  std::filesystem::path binary = std::filesystem::absolute(program);
  if (is_source(program)) {
    const Compiled compiled = compile(tree, program);
    if (compiled.status != 0) return compiled.status;
    binary = compiled.program;
  }
  std::vector<std::string> command = {binary.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  set_environment(tree);
  return run(command, program);
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
  return run(command, "cairn bench");
}

int install(const Tree& tree, const std::string& prefix) {
  if (!tree.source) return needs_source_tree("install");
  const std::string target = std::filesystem::absolute(prefix).lexically_normal().string();
  const Captured done = run_captured({"cmake", "--install", tree.prefix.string(), "--prefix", target});
  if (done.status != 0) return done.status;
  std::printf("Installed into %s\nIn a shell: source %s/set_env.sh\n", target.c_str(), target.c_str());
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
  return run(command);
}

}  // namespace cairn::tool
