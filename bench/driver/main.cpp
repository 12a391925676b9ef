#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <regex>
#include <thread>

#include "acl/acl.h"
#include "cairn/cairn.h"
#include "check.h"
#include "contender.h"
#include "data.h"
#include "device.h"
#include "extras.h"
#include "measure.h"

namespace cairn::bench {
namespace {

struct Options {
  Selection selection;
  std::string device = "cpu";
  int threads = 0;
  std::string json;
  std::string plot;
  std::string markdown;
  bool list = false;
  bool rows_only = false;
};

void progress(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

// A wrong result is not worth timing.
void verify(const Case& row, Contender& contender, const Result& expected) {
  contender.run();
  if (!contender.same_definition()) return;
  const std::string problem = difference(row, expected, contender.result());
  if (!problem.empty()) throw std::runtime_error(label(row) + ": " + contender.name() + ": " + problem);
}

// "bands, AVX2" without the instruction set.
std::string kernel_of_last_call() {
  cairnCallInfo info{};
  if (cairnGetLastCall(&info) != 0) return "?";
  const std::string kernel = info.kernel;
  return kernel.substr(0, kernel.find(','));
}

Row measure_row(const Case& row, const std::vector<std::int64_t>& positions, Device& device,
                const Effort& effort, int threads, Suite suite) {
  const Case sample = device.sample(row);
  const HostData data{make_values(sample), narrow_indices(positions, row.index_type), &positions};
  const auto expected = reference_result(sample, data);
  const std::int64_t bytes =
      bytes_to_move(sample, positions, device.line()) * (row.planes() / sample.planes());
  std::vector<std::unique_ptr<OurContender>> ours;
  for (int i = 0; i < device.sets(bytes); ++i) {
    ours.push_back(make_ours(row, data));
    verify(row, *ours.back(), expected);
  }
  std::vector<std::unique_ptr<Contender>> peers;
  for (auto make : {make_plain, make_torch, make_onednn}) {
    if (!device.has_peers()) break;
    if (make == make_plain && suite == Suite::kStandard) continue;
    if (auto peer = make(row, data, threads)) peers.push_back(std::move(peer));
  }
  std::vector<Contestant> contestants{{"copy", [&] { return device.time_copy(); }},
                                      {"cairn", [&] { return device.time(ours); }}};
  for (const auto& peer : peers) {
    verify(row, *peer, expected);
    contestants.push_back({peer->name(), [&peer] { return wall_milliseconds([&] { peer->run(); }); }});
  }
  auto timings = race(contestants, effort);
  Row result{row, kernel_of_last_call(), bytes, timings.at("cairn"), 0, {}};
  result.copy_gbps = device.copy_bytes() / timings.at("copy").median_ms * 1e-6;
  timings.erase("copy");
  timings.erase("cairn");
  result.peers = std::move(timings);
  return result;
}

bool same_indices(const Case& a, const Case& b) {
  return a.work.id == b.work.id && a.layout == b.layout && a.direction == b.direction &&
         (a.index_type == ACL_DT_UNDEFINED) == (b.index_type == ACL_DT_UNDEFINED);
}

std::unique_ptr<Device> make_device(const Options& options) {
  const bool tiny = options.selection.tiny;
  if (options.device == "cuda") return make_cuda(std::size_t{1} << (tiny ? 20 : 32));
  return make_cpu(std::size_t{1} << (tiny ? 20 : 27), options.threads);
}

Effort effort_for(const Selection& selection) {
  if (selection.tiny) return {2, 0.1};
  Effort effort = selection.quick ? Effort{7, 0.4} : Effort{};
  if (selection.suite == Suite::kOdd) {
    effort.seconds = 0.4;
    effort.fewest = 3;
    effort.slow = 0.5;
  }
  return effort;
}

void add(Report& report, Row row) {
  report.rows.push_back(std::move(row));
  std::vector<double> copies;
  for (const Row& done : report.rows) copies.push_back(done.copy_gbps);
  std::sort(copies.begin(), copies.end());
  report.copy_gbps = copies[copies.size() / 2];
  for (const auto& [name, timing] : report.rows.back().peers) {
    const auto place = std::lower_bound(report.peers.begin(), report.peers.end(), name);
    if (place == report.peers.end() || *place != name) report.peers.insert(place, name);
  }
}

void write_files(const Report& report, const Options& options) {
  if (!options.json.empty()) write_json(report, options.json);
  if (!options.plot.empty()) write_plot(report, options.plot);
  if (!options.markdown.empty()) write_markdown(report, options.markdown);
}

Report measure(const Options& options, Device& device) {
  Report report;
  report.machine = device.machine();
  report.device = device.name();
  report.threads = options.threads;
  const Selection& selection = options.selection;
  // Goals are for tensors that no cache holds.
  report.has_goals = selection.suite == Suite::kStandard && !selection.quick;
  const Effort effort = effort_for(selection);
  const auto rows = cases(selection);
  std::vector<std::int64_t> positions;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    progress("[" + std::to_string(i + 1) + "/" + std::to_string(rows.size()) + "] " + label(rows[i]));
    if (i == 0 || !same_indices(rows[i - 1], rows[i])) positions = make_indices(device.sample(rows[i]));
    add(report, measure_row(rows[i], positions, device, effort, options.threads, selection.suite));
    write_files(report, options);
    progress(": " + figures(report.rows.back()) + "\n");
  }
  if (!options.rows_only && selection.suite == Suite::kStandard) {
    progress("growth\n");
    const std::int64_t largest = options.device == "cuda" ? 1000000000 : 100000000;
    report.growth = measure_growth(selection.tiny    ? 10000
                                   : selection.quick ? 10000000
                                                     : largest,
                                   effort, device);
    progress("latency\n");
    report.latency = measure_latency(selection.tiny ? 20 : 2000);
  }
  report.complete = true;
  write_files(report, options);
  return report;
}

void print_list(const std::vector<Case>& rows) {
  std::size_t widest = 0;
  for (const Case& row : rows) widest = std::max(widest, label(row).size());
  for (const Case& row : rows)
    std::printf("%-*s  %s\n", static_cast<int>(widest), label(row).c_str(), shape(row).c_str());
}

void say_who_is_missing() {
  std::string packages;
  if (!kHasTorch) packages += " libtorch-dev";
  if (!kHasOneDnn) packages += " libdnnl-dev";
  if (packages.empty()) return;
  std::printf(
      "to measure other libraries as well: apt install%s && cmake --preset release && ./cairn bench\n",
      packages.c_str());
}

// ": …" without the process, time and code that CANN puts in front, and the empty line after it.
std::string sentence(const char* message) {
  if (message == nullptr) return {};
  const std::string_view text(message);
  const std::size_t code = text.find("): ");
  const std::string_view rest = code == text.npos ? text : text.substr(code + 3);
  return ": " + std::string(rest.substr(0, rest.find('\n')));
}

int run(const Options& options) {
  const auto rows = cases(options.selection);
  if (rows.empty()) {
    std::fprintf(stderr, "cairn bench: no row matches --filter \"%s\"; cairn bench --list prints them all\n",
                 options.selection.filter.c_str());
    return 2;
  }
  if (options.list) {
    print_list(rows);
    return 0;
  }
  const int status = aclInit(nullptr);
  if (status != 0 || aclrtSetDevice(0) != 0) {
    std::fprintf(stderr, "cairn bench: no device%s\n", sentence(aclGetRecentErrMsg()).c_str());
    return 1;
  }
  const auto device = make_device(options);
  const Report report = measure(options, *device);
  print_table(report);
  if (device->has_peers()) say_who_is_missing();
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}

// For the command line: empty, or what is wrong.
std::string is_expression(const std::string& words) {
  try {
    const std::regex expression(words);
    return {};
  } catch (const std::regex_error& error) {
    return "\"" + words + "\" is no regular expression: " + error.what();
  }
}

// The status to end with, if there is nothing to run.
std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"Times every workload beside the machine's copy bandwidth and other libraries, in one run.",
               "cairn bench"};
  std::string suite = "standard";
  app.add_option("--suite", suite,
                 "standard (default): layers of real networks; odd: odd shapes, beside a plain loop as well")
      ->check(CLI::IsMember({"standard", "odd"}));
  app.add_option("--filter", options.selection.filter,
                 "only rows whose 'id dtype layout indices direction' this regular expression matches")
      ->check(is_expression);
  app.add_option("--device", options.device, "cpu (default) or cuda")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--threads", options.threads, "threads for everything measured (default: all)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--quick", options.selection.quick,
               "smaller tensors, fewer repetitions, no goals: under a minute");
  app.add_flag("--tiny", options.selection.tiny,
               "a few thousand elements: checks the driver, measures nothing");
  app.add_option("--fraction", options.selection.fraction,
                 "share of each workload's planes (default: 1; 0.25 for the standard suite on cpu)")
      ->check(CLI::Range(0.001, 1.0));
  app.add_flag("--rows-only", options.rows_only, "leave out growth and latency");
  app.add_flag("--list", options.list, "print the rows and their shapes, and stop");
  app.add_option("--json", options.json, "write the results to this file");
  app.add_option("--plot", options.plot, "write a bar chart (SVG) to this file");
  app.add_option("--markdown", options.markdown, "write the table as Markdown to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& done) {
    return app.exit(done);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "cairn bench: %s (cairn bench --help explains it)\n", error.what());
    return 2;
  }
  if (suite == "odd") options.selection.suite = Suite::kOdd;
  if (options.threads == 0)
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (options.selection.fraction == 0) {
    const bool whole = options.device == "cuda" || options.selection.suite == Suite::kOdd;
    options.selection.fraction = whole ? 1.0 : 0.25;
  }
  return std::nullopt;
}

int parse_and_run(int argc, char** argv) {
  Options options;
  if (const std::optional<int> status = parse(argc, argv, options)) return *status;
  setenv("CAIRN_DEVICE", options.device.c_str(), 1);
  setenv("CAIRN_THREADS", std::to_string(options.threads).c_str(), 1);
  // Idle OpenMP threads of a peer would otherwise spin through everybody else's turn; libgomp reads this as
  // it loads.
  if (getenv("OMP_WAIT_POLICY") == nullptr) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
  }
  return run(options);
}

}  // namespace
}  // namespace cairn::bench

int main(int argc, char** argv) {
  try {
    return cairn::bench::parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\ncairn bench: %s\n", error.what());
    return 1;
  }
}
