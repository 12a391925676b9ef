#include <algorithm>
#include <sstream>

#include "measure.h"

namespace cairn::bench {
namespace {

constexpr double kLabelWidth = 250;
constexpr double kChartWidth = 640;  // 0 … 120 % of copy
constexpr double kFullScale = 1.2;
constexpr double kBar = 11;
constexpr double kGap = 9;
constexpr double kTop = 76;
const char* const kPeerColors[] = {"#e8833a", "#8a8f98", "#5aa469"};

double x_of(double share) { return kLabelWidth + std::min(share, kFullScale) / kFullScale * kChartWidth; }

void bar(std::ostream& out, double y, double height, double share, const char* color) {
  out << "<rect x=\"" << kLabelWidth << "\" y=\"" << y << "\" width=\"" << x_of(share) - kLabelWidth
      << "\" height=\"" << height << "\" fill=\"" << color << "\"/>\n";
}

void text(std::ostream& out, double x, double y, const std::string& content, const char* anchor,
          int size = 11, const char* color = "#222") {
  out << "<text x=\"" << x << "\" y=\"" << y << "\" font-size=\"" << size << "\" text-anchor=\"" << anchor
      << "\" fill=\"" << color << "\">" << content << "</text>\n";
}

void goal_mark(std::ostream& out, double y, double goal) {
  const double x = x_of(goal);
  out << "<line x1=\"" << x << "\" x2=\"" << x << "\" y1=\"" << y - 2 << "\" y2=\"" << y + kBar + 2
      << "\" stroke=\"#c0392b\" stroke-width=\"2\"/>\n";
}

void legend(std::ostream& out, const Report& report) {
  double x = kLabelWidth;
  const auto entry = [&](const std::string& name, const char* color) {
    out << "<rect x=\"" << x << "\" y=\"38\" width=\"12\" height=\"12\" fill=\"" << color << "\"/>\n";
    text(out, x + 17, 48, name, "start");
    x += 34 + 7.0 * static_cast<double>(name.size());
  };
  entry("Cairn", "#2f6fb0");
  for (std::size_t i = 0; i < report.peers.size(); ++i) entry(report.peers[i], kPeerColors[i % 3]);
  if (!report.has_goals) return;
  out << "<line x1=\"" << x + 3 << "\" x2=\"" << x + 3
      << "\" y1=\"37\" y2=\"51\" stroke=\"#c0392b\" stroke-width=\"2\"/>\n";
  text(out, x + 10, 48, "goal", "start");
}

}  // namespace

void write_plot(const Report& report, const std::string& path) {
  const double row_height = kBar + 5.0 * static_cast<double>(report.peers.size()) + kGap;
  const double bottom = kTop + row_height * static_cast<double>(report.rows.size());
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << kLabelWidth + kChartWidth + 70
      << "\" height=\"" << bottom + 30
      << "\" font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  text(out, 12, 22, "Share of the copy bandwidth: " + report.machine, "start", 14);
  legend(out, report);
  for (int percent = 0; percent <= 120; percent += 20) {
    const double x = x_of(percent / 100.0);
    out << "<line x1=\"" << x << "\" x2=\"" << x << "\" y1=\"" << kTop - 6 << "\" y2=\"" << bottom
        << "\" stroke=\"" << (percent == 100 ? "#444" : "#ddd") << "\"/>\n";
    text(out, x, kTop - 10, std::to_string(percent) + " %", "middle", 10, "#666");
  }
  double y = kTop;
  for (const Row& row : report.rows) {
    text(out, kLabelWidth - 8, y + kBar, label(row.what), "end");
    bar(out, y, kBar, row.share(), "#2f6fb0");
    text(out, x_of(row.share()) + 4, y + kBar - 1,
         std::to_string(static_cast<int>(row.share() * 100 + 0.5)) + " %", "start", 10);
    double peer_y = y + kBar + 1;
    for (std::size_t i = 0; i < report.peers.size(); ++i, peer_y += 5) {
      const auto found = row.peers.find(report.peers[i]);
      if (found == row.peers.end()) continue;
      bar(out, peer_y, 4, row.share() * row.ours.median_ms / found->second.median_ms, kPeerColors[i % 3]);
    }
    if (report.has_goals) goal_mark(out, y, goal(report.device, row.what));
    y += row_height;
  }
  out << "</svg>\n";
  write_file(report, path, out.str());
}

}  // namespace cairn::bench
