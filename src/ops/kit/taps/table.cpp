#include "ops/kit/taps/table.h"

#include <algorithm>

#include "ops/kit/taps/position.h"

namespace cairn {
namespace {

// The first position in [0, axis.out) of which `holds`, which holds from there on.
template <typename Holds>
std::int64_t first_position(const FilterAxis& axis, const Holds& holds) {
  std::int64_t low = 0;
  std::int64_t high = axis.out;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (holds(taps::Position(axis, middle).cells())) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace

template <typename T>
void TapTable<T>::begin(Span targets) {
  targets_ = targets;
  most_ = 0;
  reach_ = 0;
  begins_.assign(1, 0);
  sources_.clear();
  weights_.clear();
}

template <typename T>
void TapTable<T>::end_target() {
  const auto first = static_cast<std::size_t>(begins_.back());
  const std::int64_t count = static_cast<std::int64_t>(sources_.size()) - begins_.back();
  begins_.push_back(static_cast<std::int64_t>(sources_.size()));
  most_ = std::max(most_, count);
  if (count > 0) reach_ = std::max(reach_, sources_.back() - sources_[first] + 1);
}

template <typename T>
void TapTable<T>::fill_forward(const FilterAxis& axis, Span positions) {
  begin(positions);
  for (std::int64_t number = positions.begin; number < positions.end; ++number) {
    const taps::Position position(axis, number);
    for (std::int64_t cell = position.cells().begin; cell < position.cells().end; ++cell) {
      const auto weight = static_cast<T>(position.weight(cell));
      if (weight != 0) add(cell, weight);
    }
    end_target();
  }
}

template <typename T>
void TapTable<T>::fill_backward(const FilterAxis& axis, Span cells) {
  begin(cells);
  // Neighbouring positions reach neighbouring cells, so those that reach these cells are neighbours.
  const std::int64_t first =
      first_position(axis, [&](const Span& reached) { return reached.end > cells.begin; });
  const std::int64_t last =
      first_position(axis, [&](const Span& reached) { return reached.begin >= cells.end; });
  TapTable forward;
  forward.fill_forward(axis, {first, last});
  std::vector<std::int64_t> counts(static_cast<std::size_t>(cells.size()), 0);
  const auto each_tap = [&](const auto& visit) {
    for (std::int64_t position = first; position < last; ++position) {
      const Taps taps = forward.of(position);
      for (std::int64_t i = 0; i < taps.count; ++i) {
        if (taps.sources[i] < cells.begin || taps.sources[i] >= cells.end) continue;
        visit(static_cast<std::size_t>(taps.sources[i] - cells.begin), position, taps.weights[i]);
      }
    }
  };
  each_tap([&](std::size_t cell, std::int64_t, T) { ++counts[cell]; });
  for (const std::int64_t count : counts) {
    begins_.push_back(begins_.back() + count);
    most_ = std::max(most_, count);
  }
  sources_.resize(static_cast<std::size_t>(begins_.back()));
  weights_.resize(sources_.size());
  std::vector<std::int64_t> next(begins_.begin(), begins_.end() - 1);
  each_tap([&](std::size_t cell, std::int64_t position, T weight) {
    const auto at = static_cast<std::size_t>(next[cell]++);
    sources_[at] = position;
    weights_[at] = weight;
  });
  for (std::int64_t cell = cells.begin; cell < cells.end; ++cell) {
    const Taps taps = of(cell);
    if (taps.count > 0) reach_ = std::max(reach_, taps.sources[taps.count - 1] - taps.sources[0] + 1);
  }
}

template class TapTable<float>;
template class TapTable<double>;

}  // namespace cairn
