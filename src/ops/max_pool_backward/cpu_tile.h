#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "ops/max_pool_backward/cpu_geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Which axis the lanes of a vector run along: W, or C where channels lie side by side.
enum class LaneAxis : std::uint8_t { kWidth, kChannels };

// Cells computed together by one thread, and what they need staged.
struct Tile {
  std::int64_t n;
  std::int64_t c;
  Span d;
  Span h;
};

// How a call is cut into tiles; what all of them share.
class Tiling {
 public:
  Tiling(const Plan& plan, std::int64_t lanes, std::int64_t workers);

  std::int64_t count() const;
  Tile operator[](std::int64_t i) const;
  std::int64_t cells_per_tile() const { return tile_d * tile_h * axes.w.in * channels; }
  // Room for all slots, and one row of windows without a source.
  std::int64_t staged_elements() const { return (slots * ring + 1) * pitch; }
  std::int64_t staged_at_once() const { return slots * rows * pitch; }

  const Plan& plan;
  const Axes axes;
  LaneAxis lane_axis;
  bool streaming;               // write past the cache
  std::int64_t block_rows = 1;  // rows of cells computed together; tiles start at multiples of it
  std::int64_t channels = 1;    // a tile takes together; 1 with lanes along W
  std::int64_t tile_d;          // slices and rows of cells in a tile
  std::int64_t tile_h;
  std::int64_t slots;        // for slices of windows; a power of two
  std::int64_t rows;         // of windows staged at a time, of each slice
  std::int64_t ring;         // room for them; a power of two
  std::int64_t step;         // staged elements between a window and its neighbour along W
  std::int64_t lead;         // staged elements in front of the first window, all without a source
  std::int64_t pitch;        // staged elements of a row, lead included
  std::vector<Span> phases;  // along W: the windows that cover cell w, relative to w / stride, by w % stride
  std::vector<std::int32_t> first_column;  // of each window along W: its first cell, and how many more follow
  std::vector<std::int32_t> more_columns;
  const std::unique_ptr<std::atomic<bool>[]>
      stray;  // of each plane: an index outside its own window was seen

 private:
  void choose_rows(std::int64_t workers);
  void measure_rows(std::int64_t lanes);
};

}  // namespace cairn::max_pool_backward
