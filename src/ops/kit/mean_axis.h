#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/view.h"
#include "ops/kit/adaptive_axis.h"
#include "ops/kit/span.h"
#include "ops/kit/window_axis.h"

namespace cairn {

// One axis of mean pooling: `out` windows over `in` cells, `stride` apart, or as adaptive pooling lays them.
struct MeanAxis {
  std::int64_t in = 1;
  std::int64_t out = 1;
  std::int64_t kernel = 1;  // 0: the windows of AdaptiveAxis
  std::int64_t stride = 1;
  std::int64_t padding = 0;

  constexpr bool is_adaptive() const { return kernel == 0; }

  constexpr Span cells(std::int64_t window) const {
    if (is_adaptive()) return AdaptiveAxis{in, out}.cells(window);
    const std::int64_t begin = window * stride - padding;
    return {std::max<std::int64_t>(begin, 0), std::min(begin + kernel, in)};
  }
  // The windows that have a cell; none where there is no window at all.
  constexpr Span windows(std::int64_t cell) const {
    if (is_adaptive()) return AdaptiveAxis{in, out}.windows(cell);
    return WindowAxis{in, out, kernel, stride, padding, 1}.windows(cell);
  }

  // No window has more cells than this, and no cell lies in more windows than this.
  constexpr std::int64_t most_cells() const {
    if (!is_adaptive()) return std::min(kernel, in);
    return out == 0 ? 0 : AdaptiveAxis{in, out}.most();
  }
  constexpr std::int64_t most_windows() const {
    if (!is_adaptive()) return std::min((kernel - 1) / stride + 1, out);
    return out == 0 || in == 0 ? out : AdaptiveAxis{out, in}.most();
  }

  // All windows are `kernel` cells.
  constexpr bool all_inside() const {
    return !is_adaptive() && padding == 0 && (out - 1) * stride + kernel <= in;
  }
  // All windows have as many cells as the first.
  constexpr bool has_equal_windows() const {
    if (in == 0 || out == 0) return false;
    return out == 1 || all_inside() || (is_adaptive() && (in % out == 0 || out % in == 0));
  }
  // No cell lies in two windows.
  constexpr bool are_apart() const { return out <= 1 || (is_adaptive() ? in % out == 0 : kernel <= stride); }
  // One window, which has all cells.
  constexpr bool is_whole() const { return in > 0 && out == 1 && cells(0) == Span{0, in}; }

  // The same windows, without a division where they are all alike.
  constexpr MeanAxis plain() const {
    if (!is_adaptive() || in == 0 || out == 0 || in % out != 0) return *this;
    return {.in = in, .out = out, .kernel = in / out, .stride = in / out};
  }
  // The same where one cell is left over, which makes each window end with the first cell of the next.
  constexpr MeanAxis evenly_spaced() const {
    if (!is_adaptive() || out == 0 || in < out || in % out != 1) return plain();
    return {.in = in, .out = out, .kernel = in / out + 1, .stride = in / out};
  }
};

// What the sum of a window is divided by.
struct MeanDivisor {
  bool by_taps = true;  // how many taps it has
  // Otherwise: 4 is added to the place of the last window along D, 2 along H, 1 along W, which may reach less
  // far. Kernels round it to the type that sums have.
  std::array<double, 8> given{};

  constexpr double of(bool last_d, bool last_h, bool last_w) const {
    return given[(last_d ? 4U : 0U) + (last_h ? 2U : 0U) + (last_w ? 1U : 0U)];
  }
  // The one that all windows have in common.
  constexpr bool is_one() const {
    return !by_taps && std::all_of(given.begin(), given.end(), [&](double it) { return it == given[0]; });
  }
  static constexpr MeanDivisor one(double value) {
    MeanDivisor all{.by_taps = false};
    for (double& each : all.given) each = value;
    return all;
  }
  // The taps of all windows, where all have as many.
  constexpr MeanDivisor of_equal(const std::array<MeanAxis, 3>& axes) const {
    if (!by_taps) return *this;
    std::int64_t taps = 1;
    for (const MeanAxis& axis : axes) {
      if (!axis.has_equal_windows()) return *this;
      taps *= axis.cells(0).size();
    }
    return one(static_cast<double>(taps));
  }
};

// The windows of a plan without those of adaptive pooling, where they lie evenly.
template <typename Plan>
constexpr Plan with_even_windows(Plan plan) {
  plan.d = plan.d.evenly_spaced(), plan.h = plan.h.evenly_spaced(), plan.w = plan.w.evenly_spaced();
  plan.divisor = plan.divisor.of_equal({plan.d, plan.h, plan.w});
  return plan;
}

// A plan of mean pooling with its axes as kernels look for them: those of one cell in front, neighbours that
// one window covers as one axis, and one divisor where all windows have the same. Sums keep their order.
// kCells is the plan's view of the cells, kWindows that of the windows.
template <auto kCells, auto kWindows, typename Plan>
constexpr Plan with_plain_axes(Plan plan) {
  struct Along {
    MeanAxis axis;
    std::int64_t cells, windows;  // strides
    unsigned place;               // in MeanDivisor::given
  };
  const View5& cells = plan.*kCells;
  const View5& windows = plan.*kWindows;
  const std::array<Along, 3> old = {Along{plan.d.plain(), cells.d, windows.d, 4},
                                    Along{plan.h.plain(), cells.h, windows.h, 2},
                                    Along{plan.w.plain(), cells.w, windows.w, 1}};
  plan.divisor = plan.divisor.of_equal({old[0].axis, old[1].axis, old[2].axis});
  std::array<Along, 3> kept{};
  std::size_t count = 0;
  for (const Along& it : old) {
    const bool whole = it.axis.is_whole();
    if (whole && it.axis.in == 1) continue;
    if (whole && count > 0) {
      Along& outer = kept[count - 1];
      if (outer.axis.is_whole() && outer.cells == it.axis.in * it.cells) {
        const std::int64_t all = outer.axis.in * it.axis.in;
        outer = {{.in = all, .out = 1, .kernel = all, .stride = all}, it.cells, 0, 0};
        continue;
      }
    }
    kept[count++] = it;
  }
  const std::size_t missing = 3 - count;
  const auto at = [&](std::size_t i) {
    return i < missing ? Along{.axis = {}, .cells = 0, .windows = 0, .place = 0} : kept[i - missing];
  };
  const auto moved = [&](const View5& view, std::int64_t Along::*stride, std::int64_t MeanAxis::*size) {
    View5 result = view;
    result.d = at(0).*stride, result.h = at(1).*stride, result.w = at(2).*stride;
    return counted_strides(result, plan.n, plan.c, {at(0).axis.*size, at(1).axis.*size, at(2).axis.*size});
  };
  // An axis that is gone had one window, its last.
  MeanDivisor divisor = plan.divisor;
  for (unsigned place = 0; place < 8; ++place) {
    unsigned before = 7;
    for (std::size_t i = 0; i < 3; ++i)
      if ((place & 4U >> i) == 0) before &= ~at(i).place;
    divisor.given[place] = plan.divisor.given[before];
  }
  plan.divisor = divisor;
  plan.*kCells = moved(cells, &Along::cells, &MeanAxis::in);
  plan.*kWindows = moved(windows, &Along::windows, &MeanAxis::out);
  plan.d = at(0).axis, plan.h = at(1).axis, plan.w = at(2).axis;
  return plan;
}

}  // namespace cairn
