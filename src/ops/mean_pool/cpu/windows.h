#pragma once

#include <cstdint>

#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/plane_row.h"
#include "ops/kit/long_sum.h"
#include "ops/kit/mean_divisor.h"
#include "ops/mean_pool/plan.h"

namespace cairn::mean_pool {

struct RowPlace : PlaneRow {  // of windows
  RowPlace(const Plan& p, std::int64_t row) : PlaneRow(counts(p), row) {}
  void step(const Plan& p, std::int64_t rows = 1) { PlaneRow::step(counts(p), rows); }

  // The plane.
  template <typename T>
  const T* self(const Plan& p) const {
    return plane_of<T>(p.self);
  }
  template <typename T>
  T* values(const Plan& p) const {
    return row_of<T>(p.values);
  }

 private:
  static Counts counts(const Plan& p) { return {p.c, p.d.out, p.h.out}; }
};

// No window has more taps than this.
constexpr std::int64_t most_taps(const Plan& p) {
  return p.d.most_cells() * p.h.most_cells() * p.w.most_cells();
}
constexpr bool has_long_sums(const Plan& p) { return most_taps(p) > long_sum::kLanes; }

constexpr std::int64_t bytes_touched(const Plan& p) {
  const std::int64_t cells = p.d.in * p.h.in * p.w.in;
  const std::int64_t windows = p.d.out * p.h.out * p.w.out;
  return p.n * p.c * (cells + windows) * static_cast<std::int64_t>(size_of(p.type));
}

// All windows have all of their kernel, and are divided by the same.
constexpr bool are_alike(const Plan& p) {
  return p.d.all_inside() && p.h.all_inside() && p.w.all_inside() && p.divisor.is_one();
}

// The cells of a window.
struct Box {
  Span d, h, w;
  constexpr std::int64_t taps() const { return d.size() * h.size() * w.size(); }
};

// Taps of a window in the order of the definition.
template <typename T, typename Add>
void each_tap(const View5& view, const T* plane, const Span& d, const Span& h, const Span& w,
              const Add& add) {
  for (std::int64_t i = d.begin; i < d.end; ++i) {
    for (std::int64_t j = h.begin; j < h.end; ++j) {
      const T* row = plane + i * view.d + j * view.h;
      for (std::int64_t k = w.begin; k < w.end; ++k) add(widened(row[k * view.w]));
    }
  }
}

// Their sum.
template <typename T>
float window_sum(const View5& view, const T* plane, const Span& d, const Span& h, const Span& w) {
  float sum = 0;
  if (d.size() * h.size() * w.size() <= long_sum::kLanes) {
    each_tap(view, plane, d, h, w, [&](float term) { sum += term; });
    return sum;
  }
  LongSum<float> all;
  each_tap(view, plane, d, h, w, [&](float term) { all.add(term); });
  return all.result();
}

}  // namespace cairn::mean_pool
