#include "measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace cairn::bench {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A call of microseconds, alone after others that swept the caches, shows how far its code lies from the
// processor: where any contestant is so quick, each sample is the mean of several calls in a row.
constexpr double kBrief = 0.02;
constexpr int kCallsOfBrief = 32;

double sample(const Contestant& contestant, int calls) {
  double sum = contestant.run();
  if (sum > 1) return sum;
  for (int call = 1; call < calls; ++call) sum += contestant.run();
  return sum / calls;
}

Timing summarize(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double quantile) {
    return samples[static_cast<std::size_t>(quantile * static_cast<double>(samples.size() - 1) + 0.5)];
  };
  return {at(0.5), (at(0.9) - at(0.1)) / at(0.5), samples.front()};
}

}  // namespace

double wall_milliseconds(const std::function<void()>& body) {
  const auto start = Clock::now();
  body();
  return milliseconds_since(start);
}

std::map<std::string, Timing> race(const std::vector<Contestant>& contestants, const Effort& effort) {
  std::map<std::string, std::vector<double>> samples;
  std::vector<const Contestant*> again;
  double shortest = kBrief;
  for (const Contestant& contestant : contestants) {
    const double first = contestant.run();
    shortest = std::min(shortest, first);
    if (first > effort.slow * 1e3) {
      samples[contestant.name].push_back(first);
    } else {
      again.push_back(&contestant);
    }
  }
  const auto begin = Clock::now();
  for (int repetition = 0; repetition < effort.repetitions; ++repetition) {
    if (repetition >= effort.fewest && milliseconds_since(begin) > effort.seconds * 1e3) break;
    for (const Contestant* contestant : again)
      samples[contestant->name].push_back(sample(*contestant, shortest < kBrief ? kCallsOfBrief : 1));
  }
  std::map<std::string, Timing> timings;
  for (auto& [name, values] : samples) timings[name] = summarize(std::move(values));
  return timings;
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace cairn::bench
