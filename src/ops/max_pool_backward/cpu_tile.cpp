#include "ops/max_pool_backward/cpu_tile.h"

#include <algorithm>
#include <bit>

#include "ops/kernel/stream_writer.h"
#include "ops/max_pool_backward/cpu_shape.h"

namespace cairn::max_pool_backward {
namespace {

// What a tile stages stays in the second-level cache of any machine.
constexpr std::int64_t kStagedElements = (std::int64_t{192} << 10) / 8;
// Tiles are split for the sake of more threads only while they are larger than this.
constexpr std::int64_t kSmallTile = std::int64_t{1} << 15;
constexpr std::int64_t kTilesPerWorker = 4;
constexpr std::int64_t kChannelGroup = 32;  // a cache line of halves

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

// So that a slot is found without a division.
std::int64_t power_of_two(std::int64_t value) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(value)));
}

// Long rows whose distance is close to a multiple of 4 KiB would meet in the same sets of the first-level
// cache.
std::int64_t spread_over_sets(std::int64_t pitch) {
  constexpr std::int64_t kSets = 1024;
  constexpr std::int64_t kApart = 640;
  return pitch < kSets ? pitch : pitch + (kApart - pitch % kSets + kSets) % kSets;
}

LaneAxis choose_lane_axis(const Plan& p, std::int64_t lanes) {
  const auto unit = [](const View5& a, const View5& b, const View5& c, std::int64_t View5::*axis) {
    return a.*axis == 1 && b.*axis == 1 && c.*axis == 1;
  };
  if (unit(p.grad_output, p.indices, p.grad_input, &View5::w)) return LaneAxis::kWidth;
  const bool channels = unit(p.grad_output, p.indices, p.grad_input, &View5::c) && 2 * p.c >= lanes;
  return channels ? LaneAxis::kChannels : LaneAxis::kWidth;
}

std::int64_t bytes_touched(const Plan& p) {
  const std::int64_t windows = p.n * p.c * p.out.count();
  return windows * (size_of(p.type) + size_of(p.index_type)) + p.n * p.c * p.in.count() * size_of(p.type);
}

}  // namespace

Tiling::Tiling(const Plan& p, std::int64_t lanes, std::int64_t workers)
    : plan(p),
      axes(p),
      lane_axis(choose_lane_axis(p, lanes)),
      streaming(streams_past_cache(bytes_touched(p))),
      tile_d(p.in.d),
      slots(power_of_two(pieces(axes.d.extent, axes.d.stride))),
      first_column(static_cast<std::size_t>(p.out.w + lanes)),
      more_columns(static_cast<std::size_t>(p.out.w + lanes)),
      stray(std::make_unique<std::atomic<bool>[]>(static_cast<std::size_t>(p.n * p.c))) {
  with_compiled_shape(p, [&]<class Shape>() { block_rows = Shape::kBlockRows; });
  tile_h = round_up(p.in.h, block_rows);
  for (std::int64_t phase = 0; phase < p.stride.w; ++phase) {
    const std::int64_t first = axes.w.padding + phase - axes.w.extent + 1;
    phases.push_back({first > 0 ? pieces(first, p.stride.w) : -(-first / p.stride.w),
                      (axes.w.padding + phase) / p.stride.w + 1});
  }
  for (std::int64_t ow = 0; ow < p.out.w; ++ow) {
    const Span cells = axes.w.cells(ow);
    first_column[static_cast<std::size_t>(ow)] = static_cast<std::int32_t>(cells.begin);
    more_columns[static_cast<std::size_t>(ow)] = static_cast<std::int32_t>(cells.size() - 1);
  }
  if (lane_axis == LaneAxis::kChannels) channels = p.c;
  measure_rows(lanes);
  while (lane_axis == LaneAxis::kChannels && channels > kChannelGroup && staged_at_once() > kStagedElements) {
    channels = round_up(channels / 2, kChannelGroup);
    measure_rows(lanes);
  }
  while (tile_h > block_rows && axes.d.extent > 1 && staged_at_once() > kStagedElements) {
    tile_h = round_up(tile_h / 2, block_rows);
    measure_rows(lanes);
  }
  choose_rows(workers);
  measure_rows(lanes);
}

// Splits further where there are fewer tiles than the workers need.
void Tiling::choose_rows(std::int64_t workers) {
  while (workers > 1 && count() < workers * kTilesPerWorker && cells_per_tile() > kSmallTile) {
    if (tile_d > 1) {
      tile_d = (tile_d + 1) / 2;
    } else if (tile_h > block_rows) {
      tile_h = round_up(tile_h / 2, block_rows);
    } else {
      return;
    }
  }
}

void Tiling::measure_rows(std::int64_t lanes) {
  // A slice of windows that one slice of cells uses alone is staged row by row, just ahead of its use.
  const std::int64_t rows_at_once = axes.d.extent == 1 ? block_rows : tile_h;
  rows = (rows_at_once - 1 + axes.h.extent - 1) / axes.h.stride + 2;
  ring = power_of_two(rows);
  const std::int64_t groups = pieces(axes.w.in, axes.w.stride);
  step = lane_axis == LaneAxis::kWidth ? 1 : round_up(channels, lanes);
  lead = round_up(std::max<std::int64_t>(-phases.front().begin, 0) * step, 16);
  const std::int64_t cells = lane_axis == LaneAxis::kWidth ? round_up(groups, lanes) : groups;
  pitch = spread_over_sets(lead + round_up(std::max(cells + phases.back().end, axes.w.out) * step, 16));
}

std::int64_t Tiling::count() const {
  return plan.n * pieces(plan.c, channels) * pieces(axes.d.in, tile_d) * pieces(axes.h.in, tile_h);
}

Tile Tiling::operator[](std::int64_t i) const {
  const std::int64_t across_h = pieces(axes.h.in, tile_h);
  const std::int64_t across_d = pieces(axes.d.in, tile_d);
  const std::int64_t across_c = pieces(plan.c, channels);
  const std::int64_t h = i % across_h * tile_h;
  const std::int64_t d = i / across_h % across_d * tile_d;
  const std::int64_t plane = i / across_h / across_d;
  return {plane / across_c,
          plane % across_c * channels,
          {d, std::min(d + tile_d, axes.d.in)},
          {h, std::min(h + tile_h, axes.h.in)}};
}

}  // namespace cairn::max_pool_backward
