#include "extras.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "contender.h"
#include "data.h"

namespace cairn::bench {
namespace {

Workload growing(Operator op, std::int64_t elements) {
  // Planes of 32³ (or their share of a small total), as many as it takes.
  const std::int64_t side =
      std::clamp<std::int64_t>(std::llround(std::cbrt(static_cast<double>(elements))) / 2 * 2, 2, 32);
  const Shape3 large{side, side, side};
  const Shape3 small{side / 2, side / 2, side / 2};
  constexpr std::int64_t kTogether = 4;  // whole samples
  std::int64_t planes = std::max<std::int64_t>(1, elements / large.count());
  if (planes > kTogether) planes -= planes % kTogether;
  if (op == Operator::kUpsample3d) {
    return {"upsample", op,        Class::kStreaming, 1,         planes, small,
            large,      {1, 1, 1}, {1, 1, 1},         {0, 0, 0}, false};
  }
  if (op == Operator::kUnpool3d) {
    return {"unpool", op, Class::kUnpool, 1, planes, small, large, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, false};
  }
  return {"pool", op, Class::kStreaming, 1, planes, large, small, {2, 2, 2}, {2, 2, 2}, {0, 0, 0}, false};
}

Case growing_case(Operator op, Direction direction, std::int64_t elements) {
  aclDataType index_type = ACL_INT32;
  if (op == Operator::kUnpool3d) index_type = ACL_INT64;
  if (op == Operator::kUpsample3d) index_type = ACL_DT_UNDEFINED;
  return {growing(op, elements), ACL_FLOAT, index_type, Layout::kChannelsFirst, direction};
}

constexpr Operator kOperators[] = {Operator::kPool3d, Operator::kUnpool3d, Operator::kUpsample3d};
constexpr Direction kDirections[] = {Direction::kBackward, Direction::kForward};

std::string name_of(const Case& row) {
  return std::string(operator_name(row.work.op)) + (row.is_forward() ? "" : "Backward");
}

GrowthPoint measure_point(const Case& row, const Effort& effort, Device& device) {
  const Case sample = device.sample(row);
  const auto positions = make_indices(sample);
  const HostData data{make_values(sample), narrow_indices(positions, row.index_type), &positions};
  std::vector<std::unique_ptr<OurContender>> ours;
  ours.push_back(make_ours(row, data));
  const auto timings = race({{"cairn", [&] { return device.time(ours); }}}, effort);
  const double ms = timings.at("cairn").median_ms;
  const bool pools = row.work.op == Operator::kPool3d;
  const std::int64_t bytes =
      bytes_to_move(sample, positions, device.line()) * (row.planes() / sample.planes());
  return {row.elements(pools ? row.work.in : row.work.out), ms, static_cast<double>(bytes) / ms * 1e-6};
}

Latency measure_latency(const Case& row, int calls) {
  using Clock = std::chrono::steady_clock;
  const auto positions = make_indices(row);
  const HostData data{make_values(row), narrow_indices(positions, row.index_type), &positions};
  const auto ours = make_ours(row, data);
  std::vector<double> plan;
  std::vector<double> launch;
  std::vector<double> total;
  for (int call = 0; call < calls; ++call) {
    const auto start = Clock::now();
    const auto phases = ours->run_in_phases();
    const std::chrono::duration<double, std::micro> whole = Clock::now() - start;
    plan.push_back(phases.first);
    launch.push_back(phases.second);
    total.push_back(whole.count());
  }
  const auto median = [](std::vector<double>& values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
  };
  return {name_of(row), median(plan), median(launch), median(total)};
}

}  // namespace

std::vector<Growth> measure_growth(std::int64_t largest, const Effort& effort, Device& device) {
  std::vector<Growth> all;
  for (const Direction direction : kDirections) {
    for (const Operator op : kOperators) {
      Growth growth{name_of(growing_case(op, direction, 1)) + " FLOAT", {}};
      for (std::int64_t elements = 10000; elements <= largest; elements *= 10) {
        growth.points.push_back(measure_point(growing_case(op, direction, elements), effort, device));
      }
      all.push_back(growth);
    }
  }
  return all;
}

std::vector<Latency> measure_latency(int calls) {
  std::vector<Latency> all;
  for (const Direction direction : kDirections) {
    for (const Operator op : kOperators)
      all.push_back(measure_latency(growing_case(op, direction, 8), calls));
  }
  return all;
}

}  // namespace cairn::bench
