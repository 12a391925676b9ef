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

Case growing_case(Operator op, std::int64_t elements) {
  aclDataType index_type = ACL_INT32;
  if (op == Operator::kUnpool3d) index_type = ACL_INT64;
  if (op == Operator::kUpsample3d) index_type = ACL_DT_UNDEFINED;
  return {growing(op, elements), ACL_FLOAT, index_type, Layout::kChannelsFirst};
}

constexpr Operator kOperators[] = {Operator::kPool3d, Operator::kUnpool3d, Operator::kUpsample3d};

}  // namespace

std::vector<Growth> measure_growth(std::int64_t largest, const Effort& effort, Device& device) {
  std::vector<Growth> all;
  for (const Operator op : kOperators) {
    Growth growth{std::string(operator_name(op)) + "Backward FLOAT", {}};
    for (std::int64_t elements = 10000; elements <= largest; elements *= 10) {
      const Case row = growing_case(op, elements);
      const Case sample = device.sample(row);
      const auto positions = make_indices(sample);
      const HostData data{make_gradients(sample), narrow_indices(positions, row.index_type), &positions};
      std::vector<std::unique_ptr<OurContender>> ours;
      ours.push_back(make_ours(row, data));
      const auto timings = race({{"cairn", [&] { return device.time(ours); }}}, effort);
      const double ms = timings.at("cairn").median_ms;
      const std::int64_t counted = op == Operator::kPool3d ? row.in_elements() : row.out_elements();
      const std::int64_t bytes =
          bytes_to_move(sample, positions, device.line()) * (row.planes() / sample.planes());
      growth.points.push_back({counted, ms, static_cast<double>(bytes) / ms * 1e-6});
    }
    all.push_back(growth);
  }
  return all;
}

std::vector<Latency> measure_latency(int calls) {
  using Clock = std::chrono::steady_clock;
  std::vector<Latency> all;
  for (const Operator op : kOperators) {
    Case row = growing_case(op, 8);
    const auto positions = make_indices(row);
    const HostData data{make_gradients(row), narrow_indices(positions, row.index_type), &positions};
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
    all.push_back({std::string(operator_name(op)) + "Backward", median(plan), median(launch), median(total)});
  }
  return all;
}

}  // namespace cairn::bench
