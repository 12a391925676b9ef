#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"
#include "ops/kit/taps/axis.h"

// The definition of the weights, in double: whole numbers as long as the sizes decide, then operations that
// are rounded one by one. For the host and, being constexpr, for GPUs alike.
namespace cairn::taps {

__extension__ using Wide = __int128;

// Of a number that an integer can hold.
constexpr std::int64_t floor_of(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) > value ? whole - 1 : whole;
}

// Below this, products of two sizes fit 64 bits.
constexpr bool is_short(const FilterAxis& axis) {
  constexpr std::int64_t kShort = std::int64_t{1} << 30;
  return axis.in < kShort && axis.out < kShort;
}

// A cell, how far a position lies past it, and how much is left to the next; in parts of a cell.
struct Place {
  std::int64_t cell;
  double past;
  double left;
};

template <typename Integer>
constexpr Place place_by_sizes(const FilterAxis& axis, std::int64_t position) {
  Integer over = 0;
  Integer under = 1;
  if (!axis.align_corners) {
    over = (2 * Integer{position} + 1) * axis.in - axis.out;
    under = 2 * Integer{axis.out};
  } else if (axis.out > 1) {
    over = Integer{position} * (axis.in - 1);
    under = axis.out - 1;
  }
  Integer cell = over / under;
  if (cell * under > over) --cell;
  const Integer rest = over - cell * under;
  const auto divisor = static_cast<double>(under);
  return {static_cast<std::int64_t>(cell), static_cast<double>(rest) / divisor,
          static_cast<double>(under - rest) / divisor};
}

constexpr Place place_of(const FilterAxis& axis, std::int64_t position) {
  if (axis.scale > 0) {
    const double step = 1.0 / axis.scale;
    const double place =
        std::min((static_cast<double>(position) + 0.5) * step - 0.5, static_cast<double>(axis.in + 2));
    const std::int64_t cell = floor_of(place);
    const double past = place - static_cast<double>(cell);
    return {cell, past, 1.0 - past};
  }
  return is_short(axis) ? place_by_sizes<std::int64_t>(axis, position) : place_by_sizes<Wide>(axis, position);
}

// Cubic polynomials near a cell and one further, by distance.
constexpr double near_cubic(double x) { return ((1.25 * x - 2.25) * x) * x + 1.0; }
constexpr double far_cubic(double x) { return ((-0.75 * x + 3.75) * x - 6.0) * x + 3.0; }
constexpr double antialiased_cubic(double x) {
  return x < 1.0 ? ((1.5 * x - 2.5) * x) * x + 1.0 : ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
}

// One position: the cells that it may be made of, and the weight of each; one of 0 is no tap.
class Position {
 public:
  constexpr Position(const FilterAxis& axis, std::int64_t position) : Position(axis, position, true) {}

  // The cells alone. Where the sizes decide, these do not depend on what their weights add up to.
  static constexpr Span cells_of(const FilterAxis& axis, std::int64_t position) {
    return Position(axis, position, axis.scale > 0).cells();
  }

  constexpr const Span& cells() const { return cells_; }

  constexpr double weight(std::int64_t cell) const {
    if (is_whole_) return 1.0;
    switch (axis_.filter) {
      case Filter::kLinear:
        return cell == place_.cell ? place_.left : place_.past;
      case Filter::kCubic:
        return cubic_weight(cell);
      default:
        return spread(cell) / sum_;
    }
  }

 private:
  constexpr Position(const FilterAxis& axis, std::int64_t position, bool adds_weights) : axis_(axis) {
    if (axis.filter == Filter::kLinear) {
      set_linear(position);
    } else if (axis.filter == Filter::kCubic) {
      place_ = place_of(axis, position);
      cells_ = {inside(place_.cell - 1), inside(place_.cell + 2) + 1};
    } else {
      set_antialiased(position, adds_weights);
    }
  }

  constexpr std::int64_t inside(std::int64_t cell) const {
    return std::clamp<std::int64_t>(cell, 0, axis_.in - 1);
  }
  constexpr bool is_cubic() const { return axis_.filter == Filter::kAntialiasedCubic; }

  constexpr void set_whole(std::int64_t cell) {
    is_whole_ = true;
    cells_ = {cell, cell + 1};
  }

  constexpr void set_linear(std::int64_t position) {
    if (axis_.in == axis_.out) return set_whole(position);
    place_ = place_of(axis_, position);
    if (place_.cell < 0) return set_whole(0);
    if (place_.cell >= axis_.in - 1) return set_whole(axis_.in - 1);
    cells_ = {place_.cell, place_.cell + 2};
  }

  // Past the border the outermost cell stands in; what lands on one cell is added in order.
  constexpr double cubic_weight(std::int64_t cell) const {
    const double weights[] = {far_cubic(place_.past + 1.0), near_cubic(place_.past), near_cubic(place_.left),
                              far_cubic(place_.left + 1.0)};
    bool begun = false;
    double sum = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
      if (inside(place_.cell - 1 + i) != cell) continue;
      sum = begun ? sum + weights[i] : weights[i];
      begun = true;
    }
    return sum;
  }

  constexpr void set_antialiased(std::int64_t position, bool adds_weights) {
    if (axis_.scale > 0) {
      const double step = 1.0 / axis_.scale;
      const double half = is_cubic() ? 2.0 : 1.0;
      const double support = step >= 1.0 ? half * step : half;
      center_ = (static_cast<double>(position) + 0.5) * step;
      shrink_ = step >= 1.0 ? 1.0 / step : 1.0;
      // Compared before it is converted: it may be past any integer.
      const auto bounded = [&](double place) {
        const double near = std::clamp(place, -1.0, static_cast<double>(axis_.in));
        return std::max<std::int64_t>(floor_of(near), 0);
      };
      cells_ = {bounded(center_ - support + 0.5), bounded(center_ + support + 0.5)};
    } else {
      set_ratio(position);
      cells_ = is_short(axis_) ? reach<std::int64_t>() : reach<Wide>();
    }
    if (!adds_weights) return;
    for (std::int64_t cell = cells_.begin; cell < cells_.end; ++cell) sum_ += spread(cell);
    if (sum_ == 0) set_whole(axis_.in - 1);
  }

  // The sizes decide: cell k is |(2k + 1) q - whole_center| / under from the position.
  constexpr void set_ratio(std::int64_t position) {
    std::int64_t p = axis_.in;
    q_ = axis_.out;
    if (axis_.align_corners) {
      p = axis_.out > 1 ? axis_.in - 1 : 0;
      q_ = axis_.out > 1 ? axis_.out - 1 : 1;
    }
    under_ = 2 * Wide{std::max(p, q_)};
    whole_center_ = (2 * Wide{position} + 1) * p;
  }

  template <typename Integer>
  constexpr Integer distance(std::int64_t cell) const {
    const Integer apart = (2 * Integer{cell} + 1) * q_ - static_cast<Integer>(whole_center_);
    return apart < 0 ? -apart : apart;
  }

  template <typename Integer>
  constexpr Span reach() const {
    const auto center = static_cast<Integer>(whole_center_);
    const Integer limit = (is_cubic() ? 2 : 1) * static_cast<Integer>(under_);
    const auto bounded = [&](Integer cell) {
      return static_cast<std::int64_t>(std::clamp<Integer>(cell, 0, axis_.in));
    };
    std::int64_t first = bounded((center - limit) / (2 * q_) - 1);
    while (first < axis_.in && (2 * Integer{first} + 1) * q_ <= center - limit) ++first;
    std::int64_t last = bounded((center + limit) / (2 * q_) + 1);
    while (last > first && distance<Integer>(last - 1) >= limit) --last;
    return {first, last};
  }

  // The weight of a cell before all are divided by their sum.
  constexpr double spread(std::int64_t cell) const {
    if (axis_.scale > 0) {
      const double signed_x = (static_cast<double>(cell) - center_ + 0.5) * shrink_;
      const double x = signed_x < 0 ? -signed_x : signed_x;
      if (!(x < (is_cubic() ? 2.0 : 1.0))) return 0;
      return is_cubic() ? antialiased_cubic(x) : 1.0 - x;
    }
    const Wide apart = is_short(axis_) ? Wide{distance<std::int64_t>(cell)} : distance<Wide>(cell);
    if (!is_cubic()) return static_cast<double>(static_cast<std::int64_t>(under_ - apart));
    return antialiased_cubic(static_cast<double>(static_cast<std::int64_t>(apart)) /
                             static_cast<double>(static_cast<std::int64_t>(under_)));
  }

  FilterAxis axis_;
  Span cells_{0, 0};
  bool is_whole_ = false;  // one cell, as it is
  Place place_{0, 0, 0};
  double center_ = 0;
  double shrink_ = 1;
  Wide whole_center_ = 0;
  Wide under_ = 1;
  std::int64_t q_ = 1;
  double sum_ = 0;
};

}  // namespace cairn::taps
