#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "ops/kit/span.h"
#include "ops/kit/taps/axis.h"

namespace cairn {

// What a stretch of targets is the weighted sum of: each has taps, ascending by source. Weights are those of
// the definition, rounded once to T; one of 0 is no tap.
template <typename T>
class TapTable {
 public:
  struct Taps {
    const std::int64_t* sources;
    const T* weights;
    std::int64_t count;
  };

  // Positions as targets, of cells.
  void fill_forward(const FilterAxis& axis, Span positions);
  // Cells as targets, of positions.
  void fill_backward(const FilterAxis& axis, Span cells);

  Span targets() const { return targets_; }
  Taps of(std::int64_t target) const {
    const std::int64_t begin = begins_[static_cast<std::size_t>(target - targets_.begin)];
    const std::int64_t end = begins_[static_cast<std::size_t>(target - targets_.begin) + 1];
    return {sources_.data() + begin, weights_.data() + begin, end - begin};
  }
  std::int64_t most() const { return most_; }    // taps of one target
  std::int64_t reach() const { return reach_; }  // from the first to the last source of one target

 private:
  void begin(Span targets);
  void add(std::int64_t source, T weight) {
    sources_.push_back(source);
    weights_.push_back(weight);
  }
  void end_target();

  Span targets_{0, 0};
  std::int64_t most_ = 0;
  std::int64_t reach_ = 0;
  std::vector<std::int64_t> begins_;
  std::vector<std::int64_t> sources_;
  std::vector<T> weights_;
};

extern template class TapTable<float>;
extern template class TapTable<double>;

}  // namespace cairn
