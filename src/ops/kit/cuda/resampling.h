#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

#include "common/view.h"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/tap_table.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/taps/position.h"

// What the launchers of resampling kernels ask before they choose one.
namespace cairn::cuda {

// A resampling as its families' plans have it.
struct Resampling {
  std::int64_t n, c;
  FilterAxis d, h, w;
  View5 from, to;
  int element;  // bytes of a source's
  bool backward;

  std::int64_t sources(const FilterAxis& axis) const { return backward ? axis.out : axis.in; }
  std::int64_t targets(const FilterAxis& axis) const { return backward ? axis.in : axis.out; }
};

// In 3D a march goes along D, across rows of H; in 2D along H, and nothing lies between.
struct MarchAxes {
  FilterAxis march, middle;
  bool flat;

  explicit MarchAxes(const Resampling& it) : march(it.d), middle(it.h), flat(it.d.is_absent()) {
    if (flat) std::swap(march, middle);
  }
};

// Whether positions lie where the density says, without a rounding.
inline bool is_exact(const FilterAxis& axis) {
  int exponent = 0;
  return !(axis.scale > 0) || std::frexp(axis.scale, &exponent) == 0.5;
}

// No cell is reached by more positions than this, and no position reaches more cells, of weight 0 or not.
inline double most_taps(const FilterAxis& axis, bool by_cell) {
  if (axis.keeps_values()) return 1;
  const double slack = is_exact(axis) ? 0 : 1;
  if (!by_cell) return axis.filter == Filter::kLinear ? 2 : std::ceil(2 * reach_of(axis) + slack);
  double most = std::ceil((2 * reach_of(axis) + slack) * density(axis)) + slack;
  if (axis.scale > 0) {
    // A scale that does not give the sizes leaves many positions to an outermost cell.
    const auto first = [&axis](const auto& holds) {
      std::int64_t low = 0;
      for (std::int64_t high = axis.out; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(taps::Position(axis, middle).cells())) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return static_cast<double>(low);
    };
    const double of_first = first([](const Span& cells) { return cells.begin > 0; });
    const double of_last =
        static_cast<double>(axis.out) - first([&](const Span& cells) { return cells.end >= axis.in; });
    most = std::max({most, of_first, of_last});
  }
  return std::max(most, 1.0);
}

// Lays tables into the stream's memory, one after the other.
class TableMaker {
 public:
  explicit TableMaker(unsigned char* at) : at_(at) {}

  AxisTable make(const FilterAxis& axis, bool by_cell, int most, int align = 1) {
    const std::int64_t lines = by_cell ? axis.in : axis.out;
    const AxisTable table{reinterpret_cast<int*>(at_ + lines * most * 4), reinterpret_cast<float*>(at_),
                          most};
    at_ += room(lines, most);
    plan_.orders[count_++] = {axis, table, static_cast<int>(lines), by_cell, align};
    weights_ += lines * most;
    return table;
  }
  cudaError_t fill(cudaStream_t stream) const { return start_fill_tables(plan_, weights_, stream); }

  // Bytes, a multiple of what the widest load of weights needs.
  static std::int64_t room(std::int64_t lines, std::int64_t most) {
    return divide_up(lines * (most + 1) * 4, 16) * 16;
  }

 private:
  unsigned char* at_;
  TablesPlan plan_{};
  int count_ = 0;
  std::int64_t weights_ = 0;
};

// What all marches have in common.
inline const char* why_not_by_tables(const Resampling& it) {
  const Size3 from{it.sources(it.d), it.sources(it.h), it.sources(it.w)};
  const Size3 to{it.targets(it.d), it.targets(it.h), it.targets(it.w)};
  if (it.n * it.c * to.count() == 0) return "there are no targets";
  if (!is_narrow(it.from, from) || !is_narrow(it.to, to)) return "sizes or offsets in a plane need 64 bits";
  constexpr int kThreads = 256;  // of a block, at most
  if (it.n * it.c * to.count() >= INT32_MAX - kThreads) return "too many targets to number in 32 bits";
  return nullptr;
}

// A table of so many lines, with so many weights in each.
struct TableSize {
  std::int64_t lines, most;
};
inline const char* why_not_room(std::initializer_list<TableSize> tables) {
  std::int64_t bytes = 0;
  for (const auto& [lines, most] : tables) bytes += TableMaker::room(lines, most);
  return bytes <= static_cast<std::int64_t>(StreamScratch::kTableBytes)
             ? nullptr
             : "the taps do not fit into the tables";
}

// Strips along the march: enough threads for every multiprocessor twice, and none so short that its beginning
// shows.
inline std::int64_t strip_length(std::int64_t targets, std::int64_t threads, const CudaLaunch& launch) {
  const std::int64_t enough = std::int64_t{launch.multiprocessors} * 2048 * 2;
  const std::int64_t strips = std::max<std::int64_t>(enough / std::max<std::int64_t>(threads, 1), 1);
  return std::min<std::int64_t>(std::max<std::int64_t>(divide_up(targets, strips), 16), targets);
}

}  // namespace cairn::cuda
