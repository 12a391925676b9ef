#include "reference/linear.h"

#include <cmath>
#include <cstring>
#include <map>

namespace reference {
namespace {

__extension__ using Huge = __int128;

double cubic_near(double a, double x) { return (((a + 2) * x - (a + 3)) * x) * x + 1; }
double cubic_far(double a, double x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }

// floor(position), what is past it and what is left to the next cell.
struct Position {
  std::int64_t cell;
  double t;
  double s;
};

Position position_of(const Resizing& axis, bool align_corners, std::int64_t o) {
  if (axis.scale > 0) {
    double f = (static_cast<double>(o) + 0.5) * (1.0 / axis.scale) - 0.5;
    if (f > static_cast<double>(axis.n + 2)) f = static_cast<double>(axis.n + 2);
    const double floor = std::floor(f);
    const double t = f - floor;
    return {static_cast<std::int64_t>(floor), t, 1.0 - t};
  }
  Huge numerator = (Huge{2} * o + 1) * axis.n - axis.m;
  Huge denominator = Huge{2} * axis.m;
  if (align_corners) {
    numerator = axis.m == 1 ? Huge{0} : Huge{o} * (axis.n - 1);
    denominator = axis.m == 1 ? 1 : axis.m - 1;
  }
  Huge rest = numerator % denominator;
  if (rest < 0) rest += denominator;
  const Huge cell = (numerator - rest) / denominator;
  return {static_cast<std::int64_t>(cell), static_cast<double>(rest) / static_cast<double>(denominator),
          static_cast<double>(denominator - rest) / static_cast<double>(denominator)};
}

TapList linear_taps(const Resizing& axis, bool align_corners, std::int64_t o) {
  if (axis.n == axis.m) return {{o, 1.0}};
  const Position at = position_of(axis, align_corners, o);
  if (at.cell < 0) return {{0, 1.0}};
  if (at.cell >= axis.n - 1) return {{axis.n - 1, 1.0}};
  return {{at.cell, at.s}, {at.cell + 1, at.t}};
}

TapList cubic_taps(const Resizing& axis, bool align_corners, std::int64_t o) {
  const double a = -0.75;
  const Position at = position_of(axis, align_corners, o);
  const double weights[] = {cubic_far(a, at.t + 1), cubic_near(a, at.t), cubic_near(a, at.s),
                            cubic_far(a, at.s + 1)};
  std::map<std::int64_t, double> cells;
  for (int i = 0; i < 4; ++i) {
    std::int64_t cell = at.cell - 1 + i;
    if (cell < 0) cell = 0;
    if (cell > axis.n - 1) cell = axis.n - 1;
    const auto found = cells.find(cell);
    if (found == cells.end()) {
      cells[cell] = weights[i];
    } else {
      found->second = found->second + weights[i];
    }
  }
  return {cells.begin(), cells.end()};
}

double spread_weight(bool cubic, double x) {
  if (!cubic) return 1 - x;
  return x < 1 ? cubic_near(-0.5, x) : cubic_far(-0.5, x);
}

TapList spread_taps(const Resizing& axis, bool align_corners, std::int64_t o, bool cubic) {
  const int h = cubic ? 2 : 1;
  TapList taps;
  if (axis.scale > 0) {
    const double ratio = 1.0 / axis.scale;
    const double center = (static_cast<double>(o) + 0.5) * ratio;
    const double support = ratio >= 1 ? h * ratio : h;
    const double squeeze = ratio >= 1 ? 1.0 / ratio : 1.0;
    const auto n = static_cast<double>(axis.n);
    double first = std::floor(center - support + 0.5);
    double end = std::floor(center + support + 0.5);
    if (first < 0) first = 0;
    if (end > n) end = n;
    for (double k = first; k < end; ++k) {
      const double x = std::fabs((k - center + 0.5) * squeeze);
      taps.emplace_back(static_cast<std::int64_t>(k), x < h ? spread_weight(cubic, x) : 0.0);
    }
  } else {
    Huge p = axis.n;
    Huge q = axis.m;
    if (align_corners) {
      p = axis.m == 1 ? 0 : axis.n - 1;
      q = axis.m == 1 ? 1 : axis.m - 1;
    }
    const Huge denominator = 2 * (p > q ? p : q);
    for (std::int64_t k = 0; k < axis.n; ++k) {
      Huge distance = (Huge{2} * k + 1) * q - (Huge{2} * o + 1) * p;
      if (distance < 0) distance = -distance;
      if (distance >= h * denominator) continue;
      const double weight =
          cubic ? spread_weight(true, static_cast<double>(distance) / static_cast<double>(denominator))
                : static_cast<double>(denominator - distance);
      taps.emplace_back(k, weight);
    }
  }
  double sum = 0;
  for (const auto& [cell, weight] : taps) sum = sum + weight;
  if (taps.empty() || sum == 0) return {{axis.n - 1, 1.0}};
  for (auto& [cell, weight] : taps) weight = weight / sum;
  return taps;
}

// A tensor's values in T, N to W, each axis of its own size.
template <typename T>
struct Field {
  Sizes size{};
  std::vector<T> values{};

  explicit Field(const Sizes& sizes) : size(sizes) {
    std::int64_t count = 1;
    for (const std::int64_t each : sizes) count *= each;
    values.resize(static_cast<std::size_t>(count));
  }
  T& at(const Sizes& i) {
    return values[static_cast<std::size_t>(
        (((i[0] * size[1] + i[1]) * size[2] + i[2]) * size[3] + i[3]) * size[4] + i[4])];
  }
};

template <typename Body>
void for_each(const Sizes& size, Body body) {
  Sizes i{};
  for (i[0] = 0; i[0] < size[0]; ++i[0])
    for (i[1] = 0; i[1] < size[1]; ++i[1])
      for (i[2] = 0; i[2] < size[2]; ++i[2])
        for (i[3] = 0; i[3] < size[3]; ++i[3])
          for (i[4] = 0; i[4] < size[4]; ++i[4]) body(i);
}

template <typename T>
Field<T> load(const View& view) {
  Field<T> field(view.size);
  for_each(view.size, [&](const Sizes& i) {
    const unsigned char* element = view.at(i[0], i[1], i[2], i[3], i[4]);
    double value = 0;
    if (view.type == Type::kDouble) {
      std::memcpy(&value, element, sizeof(value));
    } else {
      value = load_float(element, view.type);
    }
    field.at(i) = static_cast<T>(value);
  });
  return field;
}

template <typename T>
void store(Field<T>& field, const View& view) {
  for_each(view.size, [&](const Sizes& i) {
    unsigned char* element = view.at(i[0], i[1], i[2], i[3], i[4]);
    if (view.type == Type::kDouble) {
      const double value = field.at(i);
      std::memcpy(element, &value, sizeof(value));
    } else {
      store_float(element, view.type, static_cast<float>(field.at(i)));
    }
    make_nan_canonical(element, view.type);
  });
}

// For each position the taps that count: rounded to T, and not 0.
template <typename T>
std::vector<std::vector<std::pair<std::int64_t, T>>> table(const Resample& how, const Resizing& axis) {
  std::vector<std::vector<std::pair<std::int64_t, T>>> rows(static_cast<std::size_t>(axis.m));
  for (std::int64_t o = 0; o < axis.m; ++o) {
    for (const auto& [cell, weight] : taps_of(how.smoothing, axis, how.align_corners, o)) {
      const T rounded = static_cast<T>(weight);
      if (rounded != 0) rows[static_cast<std::size_t>(o)].emplace_back(cell, rounded);
    }
  }
  return rows;
}

template <typename T>
void forward(const View& self, const View& out, const Resample& how) {
  Field<T> field = load<T>(self);
  for (std::size_t axis = 4; axis >= 2; --axis) {
    const Resizing sizes{self.size[axis], out.size[axis], how.scales[axis - 2]};
    const auto rows = table<T>(how, sizes);
    Sizes size = field.size;
    size[axis] = out.size[axis];
    Field<T> next(size);
    for_each(size, [&](const Sizes& i) {
      T sum = -T{0};
      for (const auto& [cell, weight] : rows[static_cast<std::size_t>(i[axis])]) {
        Sizes from = i;
        from[axis] = cell;
        const T product = weight * field.at(from);
        sum = sum + product;
      }
      next.at(i) = sum;
    });
    field = std::move(next);
  }
  store(field, out);
}

template <typename T>
void backward(const View& grad_out, const View& grad_input, const Resample& how) {
  Field<T> field = load<T>(grad_out);
  for (std::size_t axis = 4; axis >= 2; --axis) {
    const Resizing sizes{grad_input.size[axis], grad_out.size[axis], how.scales[axis - 2]};
    const auto rows = table<T>(how, sizes);
    Sizes size = field.size;
    size[axis] = grad_input.size[axis];
    Field<T> next(size);
    // Positions ascending, so every cell gets its terms in that order.
    for_each(field.size, [&](const Sizes& i) {
      for (const auto& [cell, weight] : rows[static_cast<std::size_t>(i[axis])]) {
        Sizes to = i;
        to[axis] = cell;
        const T product = weight * field.at(i);
        next.at(to) = next.at(to) + product;
      }
    });
    field = std::move(next);
  }
  store(field, grad_input);
}

}  // namespace

TapList taps_of(Smoothing smoothing, const Resizing& axis, bool align_corners, std::int64_t o) {
  switch (smoothing) {
    case Smoothing::kLinear:
      return linear_taps(axis, align_corners, o);
    case Smoothing::kCubic:
      return cubic_taps(axis, align_corners, o);
    default:
      return spread_taps(axis, align_corners, o, smoothing == Smoothing::kAntialiasedCubic);
  }
}

void resample(const View& self, const View& out, const Resample& how) {
  if (self.type == Type::kDouble) return forward<double>(self, out, how);
  forward<float>(self, out, how);
}

void resample_backward(const View& grad_out, const View& grad_input, const Resample& how) {
  if (grad_out.type == Type::kDouble) return backward<double>(grad_out, grad_input, how);
  backward<float>(grad_out, grad_input, how);
}

}  // namespace reference
