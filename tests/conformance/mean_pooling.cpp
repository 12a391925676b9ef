#include "conformance/mean_pooling.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "conformance/pooling.h"

namespace conformance {
namespace {

void choose_adaptive_sizes(PoolGeometry& it, Random& random, Extent extent) {
  const bool large = extent != Extent::kSmall;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (it.in[axis] == 1 && axis == 0) continue;
    const std::int64_t in = it.in[axis];
    const auto kind = random.between(0, 5);
    // One window, windows alike, any, more than cells.
    it.out[axis] = kind < 2    ? 1
                   : kind == 2 ? std::max<std::int64_t>(in / random.between(1, 8), 1)
                   : kind < 5  ? random.between(1, in)
                               : random.between(1, std::min<std::int64_t>(2 * in + 1, large ? 100 : 30));
  }
}

// Planes with sums past 64 and past 4096 terms.
void choose_long_sums(PoolGeometry& it, Random& random, int spatial) {
  it.n = 1;
  it.c = random.between(1, 20);
  it.in = {spatial == 3 ? random.between(1, 9) : 1, random.between(8, 70), random.between(8, 90)};
}

// Windows alike whose rows fill the 64 lanes of a long sum evenly, or nearly.
void choose_even_windows(PoolGeometry& it, Random& random, int spatial) {
  const std::int64_t width = random.pick<std::int64_t>({8, 8, 16, 32, 64, 4});
  const std::int64_t height = 64 / width * random.between(1, 2);
  const std::int64_t depth = spatial == 3 ? random.between(1, 5) : 1;
  it.n = random.between(1, 2);
  it.c = random.between(1, 5);
  it.out = {spatial == 3 ? random.between(1, 3) : 1, random.between(1, 3), random.between(1, 9)};
  it.in = {it.out[0] * depth, it.out[1] * height + (random.chance(5) ? 1 : 0), it.out[2] * width};
}

}  // namespace

bool is_adaptive(const Subject& subject) {
  return std::string_view(subject.name).find("Adaptive") != std::string_view::npos;
}

PoolGeometry random_mean_geometry(const Subject& subject, Random& random, Extent extent, bool whole_windows) {
  const bool adaptive = is_adaptive(subject);
  constexpr std::int64_t kMost = 5000000;
  while (true) {
    PoolGeometry it = random_pool_geometry(random, subject.spatial, extent);
    it.window.dilation = {1, 1, 1};
    const bool long_sums = extent == Extent::kSmall ? random.chance(4) : random.chance(20);
    if (long_sums && adaptive && extent != Extent::kPastCache) choose_long_sums(it, random, subject.spatial);
    if (it.in[0] * it.in[1] * it.in[2] == 0) continue;
    if (adaptive) {
      it.window = {};
      if (extent == Extent::kSmall && random.chance(4))
        choose_even_windows(it, random, subject.spatial);
      else
        choose_adaptive_sizes(it, random, extent);
      if (it.out_count() > kMost) continue;
      return it;
    }
    if (whole_windows)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        it.window.kernel[axis] = std::min(it.window.kernel[axis], it.in[axis]);
        it.window.padding[axis] = std::min(it.window.padding[axis], it.window.kernel[axis] / 2);
      }
    if (it.derive_out()) return it;
  }
}

void push_mean_windows(Case& it, Random& random, const Draft& draft, const PoolGeometry& geometry) {
  push_window(it, random, draft, geometry);
  it.arguments.erase(it.arguments.end() - 2);  // dilation
  it.arguments.emplace_back(random.chance(50));
  const auto divisor = random.pick<std::int64_t>({0, 0, 0, 0, 3, -7, 100, 16, 16777217});
  it.arguments.emplace_back(divisor);
  if (it.subject->spatial == 2) it.arguments.emplace_back(static_cast<std::int8_t>(random.between(0, 3)));
}

reference::Mean mean_of(const Case& it, std::size_t first) {
  if (is_adaptive(*it.subject)) return {.adaptive = true};
  const auto values = [&](std::size_t i, std::int64_t missing) {
    return on_axes(*it.subject, it.array(first + i), missing);
  };
  const auto& stride = std::get<ArrayArgument>(it.arguments[first + 1]);
  reference::Mean how;
  how.window = {values(0, 1), values(!stride || stride->empty() ? 0 : 1, 1), values(2, 0), {1, 1, 1}};
  how.count_include_pad = std::get<bool>(it.arguments[first + 4]);
  how.divisor_override = std::get<std::int64_t>(it.arguments[first + 5]);
  return how;
}

cairn::MeanAxis mean_axis(const reference::Mean& how, std::size_t axis, const View& cells,
                          const View& windows) {
  const std::int64_t in = cells.size[axis + 2];
  const std::int64_t out = windows.size[axis + 2];
  if (how.adaptive) return {.in = in, .out = out, .kernel = 0};
  return {in, out, how.window.kernel[axis], how.window.stride[axis], how.window.padding[axis]};
}

cairn::MeanDivisor mean_divisor(const reference::Mean& how, const View& cells, const View& windows) {
  if (how.adaptive) return {};
  if (how.divisor_override != 0)
    return cairn::MeanDivisor::one(static_cast<double>(static_cast<float>(how.divisor_override)));
  if (!how.count_include_pad) return {};
  cairn::MeanDivisor divisor{.by_taps = false};
  for (std::size_t place = 0; place < 8; ++place) {
    double product = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::int64_t counted = how.window.kernel[axis];
      const std::int64_t begin =
          (windows.size[axis + 2] - 1) * how.window.stride[axis] - how.window.padding[axis];
      if ((place >> (2 - axis) & 1) != 0)
        counted = std::min(counted, cells.size[axis + 2] + how.window.padding[axis] - begin);
      product *= static_cast<double>(counted);
    }
    divisor.given[place] = static_cast<double>(static_cast<float>(product));
  }
  return divisor;
}

std::int64_t taps_of(const reference::Mean& how, const View& cells, const View& windows) {
  std::int64_t taps = windows.size[0] * windows.size[1];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t in = cells.size[axis + 2];
    const std::int64_t out = windows.size[axis + 2];
    const std::int64_t each =
        how.adaptive ? in / std::max<std::int64_t>(out, 1) + 2 : std::min(how.window.kernel[axis], in);
    if (__builtin_mul_overflow(taps, std::max<std::int64_t>(out, 1), &taps) ||
        __builtin_mul_overflow(taps, std::max<std::int64_t>(each, 1), &taps))
      return std::numeric_limits<std::int64_t>::max();
  }
  return taps;
}

}  // namespace conformance
