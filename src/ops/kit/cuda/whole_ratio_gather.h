#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/resampling.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/whole_ratio_gather.cuh"
#include "ops/kit/cuda/whole_ratio_lines.cuh"

namespace cairn::cuda {

using Doubled = WholeRatio<2, Filter::kLinear>;
using Quadrupled = WholeRatio<4, Filter::kLinear>;
using DoubledCubic = WholeRatio<2, Filter::kCubic>;

// A single cell has both borders.
template <typename Ratio>
bool is_whole(const FilterAxis& axis) {
  return axis.filter == Ratio::kKind && !axis.align_corners && axis.in >= 2 &&
         axis.out == axis.in * Ratio::kRatio && (axis.scale == 0 || axis.scale == Ratio::kRatio);
}

// body(Tag<Ratio>) of the ratio that all axes have.
template <typename Body, typename Result>
Result by_whole_ratio(const Resampling& it, const Body& body, Result otherwise) {
  const auto has = [&it]<typename Ratio>(Tag<Ratio>) {
    const bool along_d = it.d.is_absent() || (std::is_same_v<Ratio, Doubled> && is_whole<Ratio>(it.d));
    return along_d && is_whole<Ratio>(it.h) && is_whole<Ratio>(it.w);
  };
  return first_type(Types<Doubled, Quadrupled, DoubledCubic>{}, has, body, otherwise);
}
inline const char* why_not_whole_ratio(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  return by_whole_ratio(
      it, [](auto) -> const char* { return nullptr; },
      "not all axes are doubled, or those of planes taken times 4, between centres of two cells or more");
}

// What a thread has, and how many blocks fit on a multiprocessor.
struct GatherTile {
  static constexpr int kThreads = 256;

  int cells, channels, rows, ahead, periods, resident;
};

// Rows in loads of 16 bytes; a cubic sum has so many neighbours that it takes more.
constexpr int cells_of_run(int element, int ratio, Filter filter) {
  return filter == Filter::kCubic ? 4 : 16 / element / ratio;
}
template <typename T, typename Ratio, bool kVolume, bool kEdges>
constexpr GatherTile run_tile() {
  constexpr int kCells = cells_of_run(sizeof(T), Ratio::kRatio, Ratio::kKind);
  if (kVolume) return {kCells, 1, 2, kShortElement<T> ? 2 : 3, 1, kShortElement<T> && kEdges ? 3 : 4};
  if (Ratio::kRatio == 4) return {kCells, 1, 0, 4, 1, 4};
  // H200, c2-x2 FLOAT 0.047 ms; with 3 blocks and 2 rows ahead 0.052.
  if (Ratio::kKind == Filter::kCubic)
    return kShortElement<T> ? GatherTile{kCells, 1, 0, 2, 1, 4} : GatherTile{kCells, 1, 0, 4, 2, 2};
  return kShortElement<T> ? GatherTile{kCells, 1, 0, 2, 1, 4} : GatherTile{kCells, 1, 0, 4, 2, 4};
}

// Channels in loads of 8 bytes.
template <typename T, typename Ratio, bool kVolume>
constexpr GatherTile channel_tile() {
  constexpr int kChannels = static_cast<int>(8 / sizeof(T));
  if (kVolume)
    return kShortElement<T> ? GatherTile{2, kChannels, 2, 2, 1, 2} : GatherTile{1, kChannels, 2, 3, 1, 4};
  if (std::is_same_v<Ratio, Doubled>) return {2, kChannels, 0, 2, 1, kShortElement<T> ? 3 : 4};
  return {1, kChannels, 0, 2, 1, 3};
}

// Strips along the march: the blocks of one take turns on the multiprocessors, and each begins with cells
// that it only has part in.
inline int gather_strip(int cells, int blocks, int resident, int extra) {
  int best = cells;
  std::int64_t least = INT64_MAX;
  for (int strips = 1; strips <= cells; ++strips) {
    const std::int64_t strip = divide_up(cells, strips);
    const std::int64_t time = divide_up(std::int64_t{blocks} * strips, resident) * (strip + extra);
    if (time < least) {
      least = time;
      best = static_cast<int>(strip);
    }
    if (std::int64_t{blocks} * strips > std::int64_t{8} * resident) break;
  }
  return best;
}

template <typename Row, typename Out>
cudaError_t start_gather(const Resampling& it, const CudaLaunch& launch, auto kernel,
                         const GatherTile& tile) {
  const MarchAxes axes(it);
  GatherPlan plan{};
  plan.from = it.from.data;
  plan.to = it.to.data;
  plan.from_by = march_strides(it.from, axes.flat);
  plan.to_by = march_strides(it.to, axes.flat);
  plan.cells = static_cast<int>(axes.march.in);
  plan.cells_middle = static_cast<int>(axes.middle.in);
  plan.cells_w = static_cast<int>(it.w.in);
  const std::int64_t slices = it.c / tile.channels;
  const std::int64_t tiles_h = divide_up(axes.middle.in, std::max(tile.rows, 1));
  const std::int64_t tiles_w = divide_up(it.w.in, tile.cells);
  plan.grid = {slices, Size3{1, tiles_h, tiles_w}};
  plan.items = static_cast<int>(it.n * slices * tiles_h * tiles_w);
  plan.blocks = static_cast<int>(divide_up(plan.items, GatherTile::kThreads));
  plan.slices_last = tile.channels > 1;
  plan.strip =
      gather_strip(plan.cells, plan.blocks, launch.multiprocessors * tile.resident, Row::Ratio::kReach - 1);
  const std::int64_t strips = divide_up(plan.cells, plan.strip);
  return start_kernel(kernel, plan, plan.blocks * strips, GatherTile::kThreads, 0, launch.stream);
}

template <typename Row, typename Out, GatherTile kTile>
cudaError_t start_gather(const Resampling& it, const CudaLaunch& launch) {
  return start_gather<Row, Out>(it, launch,
                                gather_whole_ratio<Row, Out, kTile.rows, kTile.ahead, kTile.periods,
                                                   GatherTile::kThreads, kTile.resident>,
                                kTile);
}

// Rows whose elements are neighbours.

inline int cells_of_run(const Resampling& it) {
  return cells_of_run(it.element, static_cast<int>(it.w.out / it.w.in), it.w.filter);
}

inline const char* why_not_runs(const Resampling& it) {
  if (it.from.w != 1 || it.to.w != 1) return "neighbours along W lie apart";
  const int cells = cells_of_run(it);
  const bool in_all =
      it.w.in % cells == 0 &&
      in_packs(it.from.data, it.element, 16 / it.element, {it.from.n, it.from.c, it.from.d, it.from.h}) &&
      in_packs(it.to.data, it.element, cells, {it.to.n, it.to.c, it.to.d, it.to.h});
  return in_all ? nullptr : "rows are not made of packs";
}

inline const char* why_not_whole_ratio_rows(const Resampling& it) {
  if (const char* reason = why_not_whole_ratio(it)) return reason;
  return why_not_runs(it);
}

template <typename T>
cudaError_t run_whole_ratio_rows(const Resampling& it, const CudaLaunch& launch) {
  const auto of_shape = [&]<typename Ratio, bool kVolume, bool kEdges>() {
    constexpr GatherTile kTile = run_tile<T, Ratio, kVolume, kEdges>();
    return start_gather<RunRow<T, Ratio, kTile.cells, kEdges>, T, kTile>(it, launch);
  };
  return by_whole_ratio(
      it,
      [&]<typename Ratio>(Tag<Ratio>) {
        // A warp has whole rows.
        const bool edges = 32 % (it.w.in / cells_of_run(it)) != 0;
        if constexpr (std::is_same_v<Ratio, Doubled>) {
          if (!it.d.is_absent())
            return edges ? of_shape.template operator()<Ratio, true, true>()
                         : of_shape.template operator()<Ratio, true, false>();
        }
        if constexpr (Ratio::kKind == Filter::kCubic) {
          if (!edges) return of_shape.template operator()<Ratio, false, false>();
        }
        return of_shape.template operator()<Ratio, false, true>();
      },
      cudaErrorInvalidValue);
}

// W alone, of lines whose elements are neighbours.

template <typename Body, typename Result>
Result by_whole_line(const Resampling& it, const Body& body, Result otherwise) {
  return first_type(
      Types<Doubled, Quadrupled>{}, [&it]<typename Ratio>(Tag<Ratio>) { return is_whole<Ratio>(it.w); }, body,
      otherwise);
}

inline const char* why_not_whole_ratio_lines(const Resampling& it) {
  if (const char* reason = why_not_by_tables(it)) return reason;
  if (!it.d.keeps_values() || !it.h.keeps_values()) return "other axes than W are resampled";
  const char* reason = by_whole_line(
      it, [](auto) -> const char* { return nullptr; },
      "W is not doubled or taken times 4, between centres of two cells or more");
  return reason != nullptr ? reason : why_not_runs(it);
}

template <typename T>
cudaError_t run_whole_ratio_lines(const Resampling& it, const CudaLaunch& launch) {
  constexpr int kLines = 4;
  constexpr int kThreads = 256;
  return by_whole_line(
      it,
      [&]<typename Ratio>(Tag<Ratio>) {
        constexpr int kCells = cells_of_run(sizeof(T), Ratio::kRatio, Ratio::kKind);
        GatherLinesPlan plan{};
        plan.from = it.from.data;
        plan.to = it.to.data;
        plan.from_by = march_strides(it.from, false);
        plan.to_by = march_strides(it.to, false);
        const std::int64_t lines = it.n * it.c * it.d.in * it.h.in;
        const std::int64_t runs = it.w.in / kCells;
        plan.grid = {it.c, Size3{it.d.in, it.h.in, 1}};
        plan.by_run = Divider<std::uint32_t>(runs);
        plan.items = static_cast<int>(divide_up(lines, kLines) * runs);
        plan.lines = static_cast<int>(lines);
        plan.cells = static_cast<int>(it.w.in);
        return start_kernel(gather_lines<RunRow<T, Ratio, kCells, true>, T, kLines, kThreads>, plan,
                            divide_up(plan.items, kThreads), kThreads, 0, launch.stream);
      },
      cudaErrorInvalidValue);
}

// Channels that are neighbours.

inline const char* why_not_whole_ratio_channels(const Resampling& it) {
  if (const char* reason = why_not_whole_ratio(it)) return reason;
  const std::int64_t channels = 8 / it.element;
  return channels_in_packs(it.from, it.element, channels, it.c, it.w.out) &&
                 channels_in_packs(it.to, it.element, channels, it.c, it.w.in)
             ? nullptr
             : "channels are not made of packs";
}

template <typename T>
cudaError_t run_whole_ratio_channels(const Resampling& it, const CudaLaunch& launch) {
  const auto of_shape = [&]<typename Ratio, bool kVolume>() {
    constexpr GatherTile kTile = channel_tile<T, Ratio, kVolume>();
    return start_gather<ChannelRow<T, Ratio, kTile.cells, kTile.channels>, T, kTile>(it, launch);
  };
  return by_whole_ratio(
      it,
      [&]<typename Ratio>(Tag<Ratio>) {
        if constexpr (std::is_same_v<Ratio, Doubled>) {
          if (!it.d.is_absent()) return of_shape.template operator()<Ratio, true>();
        }
        return of_shape.template operator()<Ratio, false>();
      },
      cudaErrorInvalidValue);
}

}  // namespace cairn::cuda
