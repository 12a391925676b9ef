#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "check.h"
#include "compile.h"
#include "process.h"
#include "tree.h"
#include "verbs.h"

namespace cairn::tool {
namespace {

using Words = std::vector<std::string>;

// What is wrong with the first word, or nothing. CLI11 would say only that a subcommand is required.
std::string wrong_verb(const CLI::App& app, const Words& words) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands(std::function<bool(const CLI::App*)>())) {
    if (!words.empty() && verb->get_name() == words.front()) return {};
    names += (names.empty() ? "" : ", ") + verb->get_name();
  }
  if (!words.empty() && app.get_option_no_throw(words.front()) != nullptr) return {};
  const std::string what = words.empty() ? "a verb is missing" : "there is no " + words.front();
  return what + "; the verbs are " + names;
}

// Takes what follows "--" out of the words of a run or check: it is the program's business, whatever it looks
// like.
Words take_untouched(Words& words) {
  if (words.empty() || (words.front() != "run" && words.front() != "check")) return {};
  const auto dashes = std::find(words.begin(), words.end(), "--");
  if (dashes == words.end()) return {};
  Words untouched(dashes + 1, words.end());
  words.erase(dashes, words.end());
  return untouched;
}

// Runs the verbs whose words are another program's business, --help included.
std::optional<int> hand_over(const Tree& tree, const Words& words) {
  if (words.empty()) return std::nullopt;
  const Words rest(words.begin() + 1, words.end());
  if (words.front() == "c++" && rest.empty()) {
    std::fputs("cairn: c++ needs what the compiler is to be told, such as program.cpp -o program\n", stderr);
    return kWrongUse;
  }
  if (words.front() == "c++") return compile_as_told(tree, rest);
  if (words.front() == "bench") return bench(tree, rest);
  if (words.front() == "python") return python(tree, rest);
  return std::nullopt;
}

// The words that nothing takes, in their order: CLI11 has them backwards, and an argument that is missing
// comes first to it.
std::string not_expected(const CLI::App& app, const Words& words) {
  const Words left = app.remaining(true);
  std::string text;
  for (const std::string& word : words) {
    if (std::find(left.begin(), left.end(), word) != left.end()) text += " " + word;
  }
  if (text.empty()) return {};
  const bool runs = words.front() == "run" || words.front() == "check";
  return "not expected:" + text + (runs ? "; what the program itself is to get goes after --" : "");
}

// Runs the callback of the verb. When there is none to run, returns the status to exit with: of wrong use, of
// --help.
std::optional<int> parse(CLI::App& app, const Words& words) {
  if (const std::string problem = wrong_verb(app, words); !problem.empty()) {
    std::fprintf(stderr, "cairn: %s (cairn --help explains them)\n", problem.c_str());
    return kWrongUse;
  }
  try {
    app.parse(Words(words.rbegin(), words.rend()));
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    const std::string extra = not_expected(app, words);
    std::fprintf(stderr, "cairn: %s (cairn %s --help explains it)\n",
                 extra.empty() ? error.what() : extra.c_str(), words.front().c_str());
    return kWrongUse;
  }
  return std::nullopt;
}

int parse_and_run(Words words) {
  const Tree tree = Tree::of_this_program();
  if (const auto status = hand_over(tree, words)) return *status;
  const Words untouched = take_untouched(words);

  CLI::App app("Runs programs written for the aclnn operator API, without an NPU.", "cairn");
  app.set_version_flag("--version", "cairn " CAIRN_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  int status = 0;

  std::string program;
  Words arguments;
  RunOptions options;
  CLI::App* run_verb =
      app.add_subcommand("run", "Run a program; a source file is compiled against this tree first");
  run_verb->add_option("PROGRAM", program, "A C++ source file, compiled with $CXX and $CXXFLAGS, or a binary")
      ->required();
  run_verb->add_option("ARGUMENTS", arguments,
                       "The program's arguments; write -- before the first that starts with -");
  run_verb->add_option("--product", options.product, "The product whose rules apply: sets CAIRN_PRODUCT")
      ->type_name("P");
  run_verb->callback([&] {
    arguments.insert(arguments.end(), untouched.begin(), untouched.end());
    status = run_program(tree, program, arguments, options);
  });

  add_check(app, tree, untouched, status);

  app.add_subcommand("c++",
                     "Run the C++ compiler, $CXX, with the flags that find this tree and any of its own");
  app.add_subcommand("env", "Print the environment that other builds need: eval \"$(cairn env)\"")
      ->callback([&] { print_environment(tree); });
  app.add_subcommand("products", "Show the Ascend products and what each allows")->callback([&] {
    status = show_products();
  });
  Words files;
  CLI::App* coverage_verb = app.add_subcommand("coverage",
                                               "List the CANN functions that programs use, and which of them "
                                               "Cairn has; exits with 1 if any is missing");
  coverage_verb->add_option("FILES", files, "C++ sources, programs, libraries or object files")->required();
  coverage_verb->callback([&] { status = show_coverage(tree, files); });
  app.add_subcommand("devices", "Show the devices that programs see")->callback([&] {
    status = show_devices();
  });

  CLI::App* test_verb =
      app.add_subcommand("test", "Build and run the tests; takes the options of ctest, such as -L LABEL");
  test_verb->allow_extras();
  test_verb->callback([&] { status = test(tree, test_verb->remaining()); });

  app.add_subcommand("python",
                     "Make `import cairn` work in python3 ($PYTHON); with arguments, run python3 with them");
  app.add_subcommand("bench", "Time every workload against the copy bandwidth and other libraries");

  std::string prefix;
  CLI::App* install_verb = app.add_subcommand("install", "Install headers, libraries and this tool");
  install_verb->add_option("--prefix", prefix, "The folder that gets include, lib64, bin")
      ->required()
      ->type_name("DIR");
  install_verb->callback([&] { status = install(tree, prefix); });

  app.add_subcommand("package", "Make a self-contained tarball, .deb and wheel")->callback([&] {
    status = package(tree);
  });

  const std::optional<int> not_run = parse(app, words);
  return not_run ? *not_run : status;
}

// What was printed may still lie in a buffer, and the disk be full.
int after_printing(int status) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::fprintf(stderr, "cairn: the output could not be written: %s\n", std::strerror(errno));
  return status == 0 ? 1 : status;
}

}  // namespace
}  // namespace cairn::tool

int main(int argc, char** argv) {
  try {
    return cairn::tool::after_printing(cairn::tool::parse_and_run({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cairn: %s\n", error.what());
  } catch (...) {
    std::fputs("cairn: an error without a name\n", stderr);
  }
  return 1;
}
