#include <array>
#include <utility>
#include <vector>

#include "plain.h"
#include "reference/linear.h"

namespace cairn::bench {
namespace {

// What each cell of an axis is the weighted sum of.
template <typename S>
using Sums = std::vector<std::vector<std::pair<std::int64_t, S>>>;

reference::Smoothing smoothing(Operator op) {
  switch (op) {
    case Operator::kBicubic2d:
      return reference::Smoothing::kCubic;
    case Operator::kBilinear2dAA:
      return reference::Smoothing::kAntialiasedLinear;
    case Operator::kBicubic2dAA:
      return reference::Smoothing::kAntialiasedCubic;
    default:
      return reference::Smoothing::kLinear;
  }
}

template <typename S>
Sums<S> sums_along(const Case& row, std::int64_t in, std::int64_t out) {
  Sums<S> sums(static_cast<std::size_t>(row.is_forward() ? out : in));
  for (std::int64_t o = 0; o < out; ++o) {
    for (const auto& [cell, weight] : reference::taps_of(smoothing(row.work.op), {in, out}, false, o)) {
      const auto narrow = static_cast<S>(weight);
      if (narrow == 0) continue;
      const std::int64_t target = row.is_forward() ? o : cell;
      sums[static_cast<std::size_t>(target)].emplace_back(row.is_forward() ? cell : o, narrow);
    }
  }
  return sums;
}

}  // namespace

template <typename T>
void resample(const Task& task) {
  using S = Sum<T>;
  const Workload& work = task.row.work;
  const Sums<S> along_d = sums_along<S>(task.row, work.in.d, work.out.d);
  const Sums<S> along_h = sums_along<S>(task.row, work.in.h, work.out.h);
  const Sums<S> along_w = sums_along<S>(task.row, work.in.w, work.out.w);
  const S start = task.row.is_forward() ? -S{0} : S{0};
  task.for_each_plane([&](std::int64_t n, std::int64_t c) {
    const T* source = task.source<T>(n, c);
    T* result = task.result<T>(n, c);
    for (const auto& over_d : along_d) {
      for (const auto& over_h : along_h) {
        for (const auto& over_w : along_w) {
          S sum_d = start;
          for (const auto& [d, weight_d] : over_d) {
            S sum_h = start;
            for (const auto& [h, weight_h] : over_h) {
              const T* line = source + d * task.from.d + h * task.from.h;
              S sum_w = start;
              for (const auto& [w, weight_w] : over_w)
                sum_w = sum_w + weight_w * static_cast<S>(line[w * task.from.w]);
              sum_h = sum_h + weight_h * sum_w;
            }
            sum_d = sum_d + weight_d * sum_h;
          }
          *result = static_cast<T>(sum_d);
          result += task.to.w;
        }
      }
    }
  });
}

template void resample<float>(const Task&);
template void resample<double>(const Task&);
template void resample<Float16>(const Task&);
template void resample<Bf16>(const Task&);

}  // namespace cairn::bench
