#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/view.h"
#include "ops/kit/cuda/march.cuh"
#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"

namespace cairn::cuda {

// A resampling as its families' plans have it.
struct Resampling {
  std::int64_t n, c;
  FilterAxis d, h, w;
  View5 from, to;
  bool backward;

  std::int64_t targets(const FilterAxis& axis) const { return backward ? axis.in : axis.out; }
};

// No target has more taps than this, of weight 0 or not.
inline double most_taps(const FilterAxis& axis, bool backward) {
  if (axis.keeps_values()) return 1;
  const double width = 2 * reach_of(axis) + (axis.scale > 0 ? 1 : 0);
  if (!backward) return std::ceil(width);
  double most = std::ceil(width * density(axis)) + (axis.scale > 0 ? 1 : 0);
  if (axis.scale > 0) {
    // A scale that does not give the sizes leaves many positions to an outermost cell.
    const auto first_past = [&axis](std::int64_t cell) {
      std::int64_t low = 0;
      for (std::int64_t high = axis.out; low < high;) {
        const std::int64_t middle = low + (high - low) / 2;
        if (taps::Position(axis, middle).cells().begin > cell) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return static_cast<double>(low);
    };
    most = std::max({most, first_past(0), static_cast<double>(axis.out) - first_past(axis.in - 2)});
  }
  return std::max(most, 1.0);
}

// In 3D the march goes along D, across rows of H; in 2D along H, and nothing lies between.
struct MarchAxes {
  FilterAxis march, middle;
  bool flat;

  explicit MarchAxes(const Resampling& it) : march(it.d), middle(it.h), flat(it.d.is_absent()) {
    if (flat) std::swap(march, middle);
  }
};

inline constexpr int kMostTaps[] = {2, 4, 8, 24};

// Weights that a thread has room for along the march and W, or 0.
inline int march_most(const Resampling& it) {
  const double needed = std::max(most_taps(MarchAxes(it).march, it.backward), most_taps(it.w, it.backward));
  for (const int most : kMostTaps) {
    if (needed <= most) return most;
  }
  return 0;
}

inline std::int64_t table_bytes(std::int64_t targets, std::int64_t most) { return targets * (most + 1) * 4; }

inline const char* why_not_march(const Resampling& it) {
  const Size3 from{it.backward ? it.d.out : it.d.in, it.backward ? it.h.out : it.h.in,
                   it.backward ? it.w.out : it.w.in};
  const Size3 to{it.targets(it.d), it.targets(it.h), it.targets(it.w)};
  if (it.n * it.c * to.count() == 0) return "there are no targets";
  if (!is_narrow(it.from, from) || !is_narrow(it.to, to)) return "sizes or offsets in a plane need 64 bits";
  if (it.n * it.c * to.count() >= INT32_MAX - kMarchThreads) return "too many targets to number in 32 bits";
  const int most = march_most(it);
  if (most == 0) return "a target has more than 24 taps";
  const MarchAxes axes(it);
  const double middle = most_taps(axes.middle, it.backward);
  if (middle > kMostTaps[3]) return "a target has more than 24 taps";
  const std::int64_t bytes = table_bytes(it.targets(axes.march), most) + table_bytes(it.targets(it.w), most) +
                             table_bytes(it.targets(axes.middle), static_cast<std::int64_t>(middle));
  return bytes <= static_cast<std::int64_t>(StreamScratch::kTableBytes)
             ? nullptr
             : "the taps do not fit into the tables";
}

inline MarchStrides march_strides(const View5& view, bool flat) {
  const auto d = static_cast<int>(view.d);
  const auto h = static_cast<int>(view.h);
  return {view.n, view.c, flat ? h : d, flat ? d : h, static_cast<int>(view.w)};
}

// The tables lie in the stream's memory, one after the other.
inline TablesPlan tables_plan(const Resampling& it, int most, const CudaLaunch& launch) {
  const MarchAxes axes(it);
  TablesPlan plan{{axes.march, axes.middle, it.w}, {}, {}};
  unsigned char* at = launch.scratch->of_tables;
  for (int i = 0; i < 3; ++i) {
    plan.targets[i] = static_cast<int>(it.targets(plan.axes[i]));
    const int own = i == 1 ? static_cast<int>(most_taps(plan.axes[i], it.backward)) : most;
    auto* weights = reinterpret_cast<float*>(at);
    at += static_cast<std::int64_t>(plan.targets[i]) * own * 4;
    plan.tables[i] = {reinterpret_cast<int*>(at), weights, own};
    at += static_cast<std::int64_t>(plan.targets[i]) * 4;
  }
  return plan;
}

template <typename In, typename Out, bool kBackward>
cudaError_t run_march(const Resampling& it, const CudaLaunch& launch) {
  const int most = march_most(it);
  const TablesPlan tables = tables_plan(it, most, launch);
  const int targets = tables.targets[0] + tables.targets[1] + tables.targets[2];
  if (const cudaError_t error =
          start_kernel(fill_tables<kBackward>, tables, divide_up(targets, 128), 128, 0, launch.stream);
      error != cudaSuccess)
    return error;
  const MarchAxes axes(it);
  // Enough threads for every multiprocessor twice, and strips that are worth their beginning.
  const std::int64_t columns = it.n * it.c * tables.targets[1] * tables.targets[2];
  const std::int64_t enough = std::int64_t{launch.multiprocessors} * 2048 * 2;
  const std::int64_t strips = std::max<std::int64_t>(enough / columns, 1);
  const std::int64_t strip = std::min<std::int64_t>(
      std::max<std::int64_t>(divide_up(tables.targets[0], strips), 16), tables.targets[0]);
  MarchPlan plan{};
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.march = tables.tables[0];
  plan.middle = tables.tables[1];
  plan.w = tables.tables[2];
  plan.from_by = march_strides(it.from, axes.flat);
  plan.to_by = march_strides(it.to, axes.flat);
  plan.targets = tables.targets[0];
  plan.strip = static_cast<int>(strip);
  const std::int64_t count = divide_up(plan.targets, strip);
  plan.grid = {it.c, Size3{count, tables.targets[1], tables.targets[2]}};
  plan.items = static_cast<int>(columns * count);
  plan.slices_last = it.c > 1 && it.to.c == 1;
  const auto start = [&](auto kernel) {
    return start_kernel(kernel, plan, divide_up(plan.items, kMarchThreads), kMarchThreads, 0, launch.stream);
  };
  switch (most) {
    case 2:
      return start(march_planes<In, Out, 2, kBackward>);
    case 4:
      return start(march_planes<In, Out, 4, kBackward>);
    case 8:
      return start(march_planes<In, Out, 8, kBackward>);
    default:
      return start(march_planes<In, Out, 24, kBackward>);
  }
}

}  // namespace cairn::cuda
