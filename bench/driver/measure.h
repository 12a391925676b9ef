#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "workload.h"

namespace cairn::bench {

struct Timing {
  double median_ms = 0;
  double spread = 0;   // (90th - 10th percentile) / median
  double best_ms = 0;  // what a busy machine disturbs least
};

struct Contestant {
  std::string name;
  std::function<double()> run;  // once; milliseconds by the contestant's own clock
};

struct Effort {
  int repetitions = 15;  // of each contestant
  double seconds = 3.0;  // stop earlier when the round has taken this long,
  int fewest = 5;        // but not under so many repetitions
  double slow = 1e9;     // who takes so many seconds runs once
};

double wall_milliseconds(const std::function<void()>& body);

// Runs the contestants in turn, again and again, so that a busy moment of the machine hits all of them alike.
std::map<std::string, Timing> race(const std::vector<Contestant>& contestants, const Effort& effort);

struct Row {
  Case what;
  std::string kernel;  // the candidate that ran, by its name
  std::int64_t bytes = 0;
  Timing ours;
  double copy_gbps = 0;
  std::map<std::string, Timing> peers;

  double gbps() const { return static_cast<double>(bytes) / ours.median_ms * 1e-6; }
  double share() const { return gbps() / copy_gbps; }
};

struct GrowthPoint {
  std::int64_t elements;
  double ms;
  double gbps;
};

struct Growth {
  std::string id;
  std::vector<GrowthPoint> points;
};

struct Latency {
  std::string id;
  double phase1_us;
  double phase2_us;
  double total_us;  // phase 1 + phase 2 + synchronise
};

struct Report {
  std::string machine;
  std::string device = "cpu";
  int threads = 1;
  bool has_goals = true;
  bool complete = false;  // all rows are there, and the rest
  double copy_gbps = 0;   // median over the rows
  std::vector<std::string> peers;
  std::vector<Row> rows;
  std::vector<Growth> growth;
  std::vector<Latency> latency;
};

void print_table(const Report& report);
// Of one row, on one line: milliseconds, bandwidth, the peers.
std::string figures(const Row& row);
// Files are written after every row, so that a run which is interrupted leaves what it has measured.
void write_json(const Report& report, const std::string& path);
void write_plot(const Report& report, const std::string& path);
// Markdown, for docs: the same table.
void write_markdown(const Report& report, const std::string& path);
// Replaces the file at once. What is no plain file, such as a pipe or a link, gets the complete report only.
void write_file(const Report& report, const std::string& path, const std::string& text);

double geometric_mean(const std::vector<double>& values);

}  // namespace cairn::bench
