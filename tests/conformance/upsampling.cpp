#include "conformance/upsampling.h"

#include <algorithm>
#include <cmath>

namespace conformance {
namespace {

bool has(const Subject& subject, std::string_view word) {
  return std::string_view(subject.name).find(word) != std::string_view::npos;
}

// The scales of a call, which are all its plain numbers.
std::vector<double> numbers_of(const Case& it) {
  std::vector<double> result;
  for (const Argument& argument : it.arguments) {
    if (const auto* wide = std::get_if<double>(&argument)) result.push_back(*wide);
    if (const auto* narrow = std::get_if<float>(&argument)) result.push_back(static_cast<double>(*narrow));
  }
  return result;
}

}  // namespace

float shift_of(const Subject& subject) { return has(subject, "Exact") ? 0.5F : 0.0F; }

reference::Counting counting_of(const Subject& subject) {
  if (has(subject, "Nearest1dBackward")) return reference::Counting::kIfFitting;
  if (has(subject, "Nearest2dBackward") || has(subject, "Exact2d")) return reference::Counting::kEachAlone;
  return reference::Counting::kTogether;
}

void push_scales(Case& it, const UpsampleGeometry& geometry) {
  const Subject& subject = *it.subject;
  const std::string_view name = subject.name;
  if (name.ends_with("Nearest1d") || name.ends_with("Nearest2d")) return;
  const bool refuses_negative = has(subject, "Exact1dBackward") || has(subject, "Exact2dBackward");
  for (auto axis = static_cast<std::size_t>(3 - subject.spatial); axis < 3; ++axis) {
    const double scale = refuses_negative ? std::max(geometry.scales[axis], 0.0) : geometry.scales[axis];
    if (name.ends_with("V2")) {
      it.arguments.emplace_back(static_cast<float>(scale));
    } else {
      it.arguments.emplace_back(scale);
    }
  }
}

std::array<double, 3> scales_of(const Case& it) {
  std::array<double, 3> scales{1, 1, 1};
  const std::vector<double> numbers = numbers_of(it);
  const auto absent = static_cast<std::size_t>(3 - it.subject->spatial);
  for (std::size_t axis = absent; axis < 3; ++axis)
    scales[axis] = numbers.empty() ? 0 : numbers[axis - absent];
  return scales;
}

ArrayArgument draw_input_size(Random& random, const Draft& draft, const UpsampleGeometry& geometry,
                              bool channels_last) {
  std::vector<std::int64_t> size = *draft.array(geometry.in);
  const bool last = channels_last && random.chance(50);
  size.insert(last ? size.end() : size.begin(), geometry.c);
  size.insert(size.begin(), geometry.n);
  return size;
}

}  // namespace conformance
