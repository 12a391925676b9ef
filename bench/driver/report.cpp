#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>

#include "measure.h"

namespace cairn::bench {
namespace {

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::vector<std::string> headings(const Report& report) {
  std::vector<std::string> cells{"workload", "direction", "layout", "dtype", "indices", "kernel",
                                 "MB",       "ms",        "±",      "GB/s",  "of copy"};
  if (report.has_goals) cells.push_back("goal");
  for (const std::string& peer : report.peers) cells.push_back("vs " + peer);
  return cells;
}

std::vector<std::string> cells(const Report& report, const Row& row) {
  std::vector<std::string> out{std::string(row.what.work.id),
                               direction_name(row.what),
                               layout_name(row.what),
                               type_name(row.what.type),
                               type_name(row.what.index_type),
                               row.kernel,
                               fixed(static_cast<double>(row.bytes) * 1e-6, row.bytes < 10000000 ? 2 : 0),
                               fixed(row.ours.median_ms, row.ours.median_ms < 1 ? 4 : 2),
                               fixed(row.ours.spread * 100, 0) + " %",
                               fixed(row.gbps(), 1),
                               fixed(row.share() * 100, 0) + " %"};
  if (report.has_goals) out.push_back(fixed(goal(report.device, row.what) * 100, 0) + " %");
  for (const std::string& peer : report.peers) {
    const auto found = row.peers.find(peer);
    out.push_back(found == row.peers.end() ? "–"
                                           : fixed(found->second.median_ms / row.ours.median_ms, 1) + "×");
  }
  return out;
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Against a peer, unpool left out.
std::vector<double> ratios(const Report& report, const std::string& peer, Direction direction) {
  std::vector<double> values;
  for (const Row& row : report.rows) {
    const auto found = row.peers.find(peer);
    if (found == row.peers.end() || row.what.is_unpool() || row.what.direction != direction) continue;
    values.push_back(found->second.median_ms / row.ours.median_ms);
  }
  return values;
}

std::string summary(const Report& report) {
  std::ostringstream text;
  text << report.machine << ", copy " << fixed(report.copy_gbps, 1) << " GB/s (read + written)\n";
  for (const std::string& peer : report.peers) {
    for (const Direction direction : {Direction::kBackward, Direction::kForward}) {
      const auto values = ratios(report, peer, direction);
      if (values.empty()) continue;
      text << "against " << peer << ", " << (direction == Direction::kForward ? "forward" : "backward")
           << ": " << fixed(geometric_mean(values), 1) << "x in the geometric mean (unpool left out), "
           << fixed(*std::min_element(values.begin(), values.end()), 1) << "x at least, over "
           << values.size() << " rows\n";
    }
  }
  return text.str();
}

void write_peers(const Row& row, double Timing::*figure, std::ostream& out) {
  const char* comma = "";
  for (const auto& [name, timing] : row.peers) {
    out << comma << quoted(name) << ": " << fixed(timing.*figure, 5);
    comma = ", ";
  }
}

void print_extras(const Report& report, std::FILE* out) {
  for (const Growth& growth : report.growth) {
    std::fprintf(out, "growth %s:", growth.id.c_str());
    for (const GrowthPoint& point : growth.points) {
      std::fprintf(out, "  %.0e: %.4f ms (%.1f GB/s)", static_cast<double>(point.elements), point.ms,
                   point.gbps);
    }
    std::fprintf(out, "\n");
  }
  for (const Latency& latency : report.latency) {
    std::fprintf(out, "latency %s: phase 1 %.2f us, phase 2 %.2f us, with synchronise %.2f us\n",
                 latency.id.c_str(), latency.phase1_us, latency.phase2_us, latency.total_us);
  }
}

}  // namespace

void print_table(const Report& report) {
  std::vector<std::vector<std::string>> lines{headings(report)};
  for (const Row& row : report.rows) lines.push_back(cells(report, row));
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap(widths[i] - width(line[i]), ' ');
      text += i < 6 ? line[i] + gap + "  " : gap + line[i] + "  ";
    }
    std::printf("%s\n", text.c_str());
  }
  std::printf("\n%s", summary(report).c_str());
  print_extras(report, stdout);
}

std::string figures(const Row& row) {
  const auto ms = [](double value) { return fixed(value, value < 1 ? 4 : 2) + " ms"; };
  std::string text = row.kernel + ", " + ms(row.ours.median_ms) + ", " + fixed(row.gbps(), 1) + " GB/s, " +
                     fixed(row.share() * 100, 0) + " % of copy";
  for (const auto& [name, timing] : row.peers)
    text += ", " + name + " " + ms(timing.median_ms) + " (" +
            fixed(timing.median_ms / row.ours.median_ms, 1) + "×)";
  return text;
}

void write_file(const Report& report, const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  const fs::file_type kind = fs::symlink_status(path).type();
  const bool replaces = kind == fs::file_type::not_found || kind == fs::file_type::regular;
  if (!replaces && !report.complete) return;
  const std::string written = replaces ? path + ".part" : path;
  std::ofstream out(written);
  out << text << std::flush;
  if (!out) throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
  if (replaces) fs::rename(written, path);
}

void write_markdown(const Report& report, const std::string& path) {
  std::ostringstream out;
  out << summary(report) << "\n";
  const auto write_line = [&](const std::vector<std::string>& line) {
    out << "|";
    for (const std::string& cell : line) out << " " << cell << " |";
    out << "\n";
  };
  const auto head = headings(report);
  write_line(head);
  write_line(std::vector<std::string>(head.size(), "---"));
  for (const Row& row : report.rows) write_line(cells(report, row));
  write_file(report, path, out.str());
}

void write_json(const Report& report, const std::string& path) {
  std::ostringstream out;
  out << "{\n  \"machine\": " << quoted(report.machine) << ",\n  \"device\": " << quoted(report.device)
      << ",\n  \"threads\": " << report.threads << ",\n  \"copy_gbps\": " << fixed(report.copy_gbps, 3)
      << ",\n  \"rows\": [";
  const char* separator = "\n";
  for (const Row& row : report.rows) {
    out << separator << "    {\"id\": " << quoted(std::string(row.what.work.id))
        << ", \"operator\": " << quoted(operator_name(row.what.work.op))
        << ", \"direction\": " << quoted(direction_name(row.what))
        << ", \"dtype\": " << quoted(type_name(row.what.type))
        << ", \"index_dtype\": " << quoted(type_name(row.what.index_type))
        << ", \"layout\": " << quoted(layout_name(row.what)) << ", \"kernel\": " << quoted(row.kernel)
        << ", \"device\": " << quoted(report.device)
        << ", \"elements\": " << row.what.elements(row.what.work.in) << ", \"bytes\": " << row.bytes
        << ", \"ms\": " << fixed(row.ours.median_ms, 5) << ", \"spread\": " << fixed(row.ours.spread, 3)
        << ", \"gbps\": " << fixed(row.gbps(), 3) << ", \"copy_gbps\": " << fixed(row.copy_gbps, 3)
        << ", \"share_of_copy\": " << fixed(row.share(), 4) << ", \"peers\": {";
    write_peers(row, &Timing::median_ms, out);
    out << "}, \"best_ms\": " << fixed(row.ours.best_ms, 5) << ", \"best_of_peers\": {";
    write_peers(row, &Timing::best_ms, out);
    out << "}}";
    separator = ",\n";
  }
  out << "\n  ],\n  \"growth\": [";
  separator = "\n";
  for (const Growth& growth : report.growth) {
    for (const GrowthPoint& point : growth.points) {
      out << separator << "    {\"id\": " << quoted(growth.id) << ", \"elements\": " << point.elements
          << ", \"ms\": " << fixed(point.ms, 6) << ", \"gbps\": " << fixed(point.gbps, 3) << "}";
      separator = ",\n";
    }
  }
  out << "\n  ],\n  \"latency\": [";
  separator = "\n";
  for (const Latency& latency : report.latency) {
    out << separator << "    {\"id\": " << quoted(latency.id)
        << ", \"phase1_us\": " << fixed(latency.phase1_us, 3)
        << ", \"phase2_us\": " << fixed(latency.phase2_us, 3)
        << ", \"total_us\": " << fixed(latency.total_us, 3) << "}";
    separator = ",\n";
  }
  out << "\n  ]\n}\n";
  write_file(report, path, out.str());
}

}  // namespace cairn::bench
