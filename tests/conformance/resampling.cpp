#include "conformance/resampling.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace conformance {
namespace {

bool has(const Subject& subject, std::string_view word) {
  return std::string_view(subject.name).find(word) != std::string_view::npos;
}

reference::Smoothing smoothing_of(const Subject& subject) {
  using enum reference::Smoothing;
  if (has(subject, "AA")) return has(subject, "Bicubic") ? kAntialiasedCubic : kAntialiasedLinear;
  return has(subject, "Bicubic") ? kCubic : kLinear;
}

bool refuses_negative_scales(const Subject& subject) {
  const std::string_view name = subject.name;
  return name.ends_with("Bilinear2d") || name.ends_with("Bilinear2dAA") || name.ends_with("AABackward") ||
         name.ends_with("AAGrad");
}

bool is_usable(double scale) { return scale > 0 && std::isfinite(scale) && std::isfinite(1 / scale); }

}  // namespace

bool draw_whole_ratio(Random& random, UpsampleGeometry& geometry, const Subject& subject, Extent extent) {
  const int spatial = subject.spatial;
  if (extent == Extent::kPastCache || has(subject, "AA") || !random.chance(35)) return false;
  const std::int64_t ratio = random.pick<std::int64_t>({2, 2, 4});
  const std::int64_t limit = extent == Extent::kLarge ? 400000 : 40000;
  do {
    geometry.n = random.between(1, 2);
    geometry.c = random.pick<std::int64_t>({1, 2, 3, 4, 8, 12});
    for (auto axis = static_cast<std::size_t>(3 - spatial); axis < 3; ++axis)
      geometry.in[axis] = random.between(1, extent == Extent::kLarge ? 24 : 9);
    // Below one pack, packs that fill a warp or do not, rows longer than that.
    const int width = static_cast<int>(random.between(0, 3));
    if (width == 1) geometry.in[2] = std::int64_t{1} << random.between(1, 6);
    if (width > 1) geometry.in[2] = 4 * random.between(1, width == 2 ? 9 : 45);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_own = axis >= static_cast<std::size_t>(3 - spatial);
      geometry.out[axis] = is_own ? ratio * geometry.in[axis] : geometry.in[axis];
    }
  } while (geometry.n * geometry.c * geometry.out[0] * geometry.out[1] * geometry.out[2] > limit);
  const bool scaled = random.chance(30);
  geometry.scales.fill(scaled ? static_cast<double>(ratio) : 0.0);
  return true;
}

void push_resampling(Random& random, Case& it, const UpsampleGeometry& geometry, int aligned) {
  it.arguments.emplace_back(random.chance(aligned));
  for (auto axis = static_cast<std::size_t>(3 - it.subject->spatial); axis < 3; ++axis) {
    const double scale = geometry.scales[axis];
    it.arguments.emplace_back(refuses_negative_scales(*it.subject) ? std::max(scale, 0.0) : scale);
  }
}

reference::Resample resample_of(const Case& it) {
  reference::Resample how;
  how.smoothing = smoothing_of(*it.subject);
  std::vector<double> scales;
  for (const Argument& argument : it.arguments) {
    if (const auto* flag = std::get_if<bool>(&argument)) how.align_corners = *flag;
    if (const auto* scale = std::get_if<double>(&argument)) scales.push_back(*scale);
  }
  const bool all = std::ranges::all_of(scales, is_usable);
  const auto absent = static_cast<std::size_t>(3 - it.subject->spatial);
  for (std::size_t axis = absent; axis < 3; ++axis) {
    const double scale = scales.empty() ? 0 : scales[axis - absent];
    const bool counts = it.subject->spatial == 3 ? all : is_usable(scale);
    how.scales[axis] = counts && !how.align_corners ? scale : 0;
  }
  return how;
}

cairn::FilterAxis filter_axis(const reference::Resample& how, std::size_t axis, const View& small,
                              const View& large) {
  return {.in = small.size[axis + 2],
          .out = large.size[axis + 2],
          .scale = how.scales[axis],
          .filter = static_cast<cairn::Filter>(how.smoothing),
          .align_corners = how.align_corners};
}

}  // namespace conformance
