#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "acl/acl.h"
#include "check.h"
#include "contender.h"
#include "data.h"
#include "extras.h"
#include "measure.h"

namespace cairn::bench {
namespace {

struct Options {
  Selection selection;
  int threads = 0;
  std::string json;
  std::string plot;
  std::string markdown;
  bool list = false;
  bool rows_only = false;
};

std::string machine_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "this machine";
}

void progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) {
    std::fprintf(stderr, "\r\033[K%s", text.c_str());
  } else if (!text.empty()) {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
}

// A wrong result is not worth timing.
void verify(const Case& row, Contender& contender, const std::vector<std::byte>& expected) {
  contender.run();
  if (!contender.same_definition()) return;
  const std::string problem = difference(row, expected, contender.result());
  if (!problem.empty()) throw std::runtime_error(label(row) + ": " + contender.name() + ": " + problem);
}

Row measure_row(const Case& row, const std::vector<std::int64_t>& positions, CopyProbe& copy,
                const Effort& effort, int threads) {
  const HostData data{make_gradients(row), narrow_indices(positions, row.index_type), &positions};
  const auto expected = reference_result(row, data);
  std::vector<std::unique_ptr<Contender>> contenders;
  contenders.push_back(make_ours(row, data));
  for (auto make : {make_torch, make_onednn}) {
    if (auto peer = make(row, data, threads)) contenders.push_back(std::move(peer));
  }
  std::vector<Contestant> contestants{{"copy", [&] { copy.run(); }}};
  for (const auto& contender : contenders) {
    verify(row, *contender, expected);
    contestants.push_back({contender->name(), [&contender] { contender->run(); }});
  }
  auto timings = race(contestants, effort);
  Row result{row, bytes_to_move(row, positions), timings.at("cairn"), 0, {}};
  result.copy_gbps = copy.bytes_moved() / timings.at("copy").median_ms * 1e-6;
  timings.erase("copy");
  timings.erase("cairn");
  result.peers = std::move(timings);
  return result;
}

bool same_indices(const Case& a, const Case& b) {
  return a.work.id == b.work.id && a.layout == b.layout &&
         (a.index_type == ACL_DT_UNDEFINED) == (b.index_type == ACL_DT_UNDEFINED);
}

Report measure(const Options& options) {
  Report report;
  report.machine = machine_name();
  report.threads = options.threads;
  const Selection& selection = options.selection;
  const Effort effort = selection.tiny ? Effort{2, 0.1} : selection.quick ? Effort{7, 0.4} : Effort{};
  CopyProbe copy(selection.tiny ? 1U << 20 : 128U << 20, options.threads);
  const auto rows = cases(selection);
  std::vector<std::int64_t> positions;
  std::vector<double> copies;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    progress("[" + std::to_string(i + 1) + "/" + std::to_string(rows.size()) + "] " + label(rows[i]));
    if (i == 0 || !same_indices(rows[i - 1], rows[i])) positions = make_indices(rows[i]);
    report.rows.push_back(measure_row(rows[i], positions, copy, effort, options.threads));
    copies.push_back(report.rows.back().copy_gbps);
    for (const auto& [name, timing] : report.rows.back().peers) {
      if (std::find(report.peers.begin(), report.peers.end(), name) == report.peers.end())
        report.peers.push_back(name);
    }
  }
  std::sort(copies.begin(), copies.end());
  if (!copies.empty()) report.copy_gbps = copies[copies.size() / 2];
  std::sort(report.peers.begin(), report.peers.end());
  if (!options.rows_only) {
    progress("growth");
    report.growth = measure_growth(selection.tiny ? 10000 : selection.quick ? 10000000 : 100000000, effort);
    progress("latency");
    report.latency = measure_latency(selection.tiny ? 20 : 2000);
  }
  progress("");
  return report;
}

int run(const Options& options) {
  if (options.list) {
    for (const Case& row : cases(options.selection)) std::printf("%s\n", label(row).c_str());
    return 0;
  }
  const int status = aclInit(nullptr);
  if (status != 0 || aclrtSetDevice(0) != 0) {
    const char* message = aclGetRecentErrMsg();
    std::fprintf(stderr, "cairn bench: no device: %s\n", message != nullptr ? message : "");
    return 1;
  }
  const Report report = measure(options);
  print_table(report);
  if (!options.json.empty()) write_json(report, options.json);
  if (!options.plot.empty()) write_plot(report, options.plot);
  if (!options.markdown.empty()) write_markdown(report, options.markdown);
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}

}  // namespace
}  // namespace cairn::bench

int main(int argc, char** argv) {
  cairn::bench::Options options;
  CLI::App app{"Times every workload beside the machine's copy bandwidth and other libraries, in one run.",
               "cairn bench"};
  app.add_option("--filter", options.selection.filter,
                 "only rows whose 'id dtype layout indices' this expression matches");
  app.add_option("--threads", options.threads, "threads for everything measured (default: all)")
      ->check(CLI::Range(1, 1024));
  app.add_flag("--quick", options.selection.quick, "smaller tensors, fewer repetitions: under a minute");
  app.add_flag("--tiny", options.selection.tiny,
               "a few thousand elements: checks the driver, measures nothing");
  app.add_option("--fraction", options.selection.fraction, "share of each workload's planes (default 0.25)")
      ->check(CLI::Range(0.001, 1.0));
  app.add_flag("--rows-only", options.rows_only, "leave out growth and latency");
  app.add_flag("--list", options.list, "print the rows and stop");
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
  if (options.threads == 0)
    options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  setenv("CAIRN_THREADS", std::to_string(options.threads).c_str(), 1);
  // Idle OpenMP threads of a peer would otherwise spin through everybody else's turn; libgomp reads this as
  // it loads.
  if (getenv("OMP_WAIT_POLICY") == nullptr) {
    setenv("OMP_WAIT_POLICY", "passive", 1);
    execv("/proc/self/exe", argv);
  }
  try {
    return cairn::bench::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\ncairn bench: %s\n", error.what());
    return 1;
  }
}
