#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/resample/lane_table.h"
#include "ops/kit/cpu/resample/planes.h"

namespace cairn::resample {

// Targets that are computed together.
struct Tile {
  std::int64_t n, c;
  Span d, h, w;
};

// Which of the last few lines or planes are there. At least as many places as one target may reach, so those
// that it needs never take each other's.
class Ring {
 public:
  void forget(std::int64_t least) {
    size_ = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(least)));
    owners_.assign(static_cast<std::size_t>(size_), Owner{-1, -1});
  }
  std::int64_t size() const { return size_; }
  std::int64_t place_of(std::int64_t number) const { return number & (size_ - 1); }
  // Where it is to lie, and whether it lies there already; from now on it does.
  std::pair<std::int64_t, bool> find(std::int64_t number, std::int64_t of) {
    const std::int64_t place = place_of(number);
    Owner& owner = owners_[static_cast<std::size_t>(place)];
    const bool is_there = owner.number == number && owner.of == of;
    owner = {number, of};
    return {place, is_there};
  }

 private:
  struct Owner {
    std::int64_t number, of;
  };
  std::int64_t size_ = 1;
  std::vector<Owner> owners_;
};

inline Span whole(std::int64_t count) { return {0, count}; }

// The sources that any target has a tap on.
template <typename T>
Span sources_of(const TapTable<T>& table) {
  Span all{0, 0};
  for (std::int64_t target = table.targets().begin; target < table.targets().end; ++target) {
    const auto taps = table.of(target);
    if (taps.count == 0) continue;
    const Span own{taps.sources[0], taps.sources[taps.count - 1] + 1};
    all = all.size() == 0 ? own : Span{std::min(all.begin, own.begin), std::max(all.end, own.end)};
  }
  return all;
}

// All that the tables of a tile follow from.
struct TableKey {
  std::array<FilterAxis, 3> axes{};
  bool backward = false;
  bool dense_read = false;
  bool widens = false;
  std::int64_t channels = 0;
  std::int64_t lanes = 0;

  bool operator==(const TableKey&) const = default;
};

// What a thread keeps from one tile to the next, and the tables from one call to the next.
template <typename T>
struct Scratch {
  // No value of the call before, nor its tables if others are wanted.
  void begin(const TableKey& wanted) {
    if (key != wanted) tile_w = tile_d = tile_h = {0, -1};
    key = wanted;
    plane = {-1, -1};
    rows.forget(1);
    planes.forget(1);
  }

  // `ahead`: lines that are weighed at once.
  void make_room(const Tile& tile, bool keeps_d, bool keeps_h, std::int64_t ahead) {
    const std::int64_t reach_h = (keeps_h ? 1 : std::max<std::int64_t>(h.reach(), 1)) + ahead - 1;
    const std::int64_t reach_d = keeps_d ? 1 : std::max<std::int64_t>(d.reach(), 1);
    const bool other_plane = plane != std::pair{tile.n, tile.c} || kept_w != tile.w;
    if (other_plane || rows.size() < reach_h) rows.forget(std::max(reach_h, rows.size()));
    if (!keeps_d && (other_plane || kept_h != tile.h || planes.size() < reach_d))
      planes.forget(std::max(reach_d, planes.size()));
    plane = {tile.n, tile.c};
    kept_w = tile.w;
    kept_h = tile.h;
    grow(row_memory, rows.size() * row);
    const auto most = static_cast<std::size_t>(std::max({w.most(), h.most(), d.most(), std::int64_t{1}}));
    if (lines.size() < most) lines.resize(most);
    if (cells.size() < most) cells.resize(most);
    if (keeps_d) return;
    grow(plane_memory, planes.size() * tile.h.size() * row);
    const auto plane_lines = static_cast<std::size_t>(planes.size() * tile.h.size());
    if (plane_rows.size() < plane_lines) plane_rows.resize(plane_lines);
  }

  TableKey key{};
  TapTable<T> d, h, w;
  LaneTable<T> lanes;
  Span tile_w, tile_d, tile_h;  // that the tables are of
  Span sources;                 // of tile_w
  bool copies_lines = false;
  bool takes_columns = false;
  bool doubles = false;
  bool doubles_cubic = false;
  Aligned<T> columns, weighed_columns;
  Aligned<T> copy;       // a line of the source, widened
  std::int64_t row = 0;  // elements of a row of the tile, in whole vectors

  std::pair<std::int64_t, std::int64_t> plane;  // N and C of what is kept
  Span kept_w, kept_h;
  Ring rows, planes;
  Aligned<T> row_memory, plane_memory;
  std::vector<const T*> plane_rows;
  std::vector<const T*> lines, cells;
};

// What all threads share.
template <typename T>
struct Tables {
  // An axis that is not resampled needs no pass; D and H also none where they are there in name only.
  explicit Tables(const Planes& planes)
      : keeps_d(planes.axes[0].keeps_values()),
        keeps_h(planes.axes[1].keeps_values()),
        keeps_w(planes.axes[2].keeps_values()) {}

  // Tiles whose lines and planes fit a core's cache.
  Tiling tiling(const Planes& planes, int workers) const {
    // A line that only W resamples fits the nearest cache; of a gradient's there are as many as lanes at
    // once.
    const std::int64_t longest = !keeps_d || !keeps_h ? 16384 : planes.backward ? 512 : 4096;
    constexpr std::int64_t kRows = std::int64_t{1} << 18;  // elements kept for H
    constexpr std::int64_t kTile = std::int64_t{1} << 15;  // elements of a tile, about
    // Elements kept for D: few enough for the nearest cache, but a gradient has more lines to read then.
    const std::int64_t kept = std::int64_t{1} << (planes.backward ? 14 : 12);
    Tiling it{};
    const std::int64_t reach_h = keeps_h ? 1 : reach(planes, 1);
    const std::int64_t reach_d = keeps_d ? 1 : reach(planes, 0);
    const std::int64_t most = std::max<std::int64_t>(std::min(longest, kRows / reach_h) / planes.channels, 1);
    it.w = std::min(planes.targets(2), std::max<std::int64_t>(most, 64));
    const std::int64_t row = std::max<std::int64_t>(it.w * planes.channels, 1);
    const std::int64_t rows = keeps_d ? kTile / row : kept / reach_d / row;
    it.h = std::clamp<std::int64_t>(rows, 1, std::max<std::int64_t>(planes.targets(1), 1));
    it.d = keeps_d
               ? std::clamp<std::int64_t>(kTile / row / it.h, 1, std::max<std::int64_t>(planes.targets(0), 1))
               : planes.targets(0);
    // Each thread has several, even if neighbours then compute some lines twice.
    const std::int64_t wanted =
        workers > 1 ? 8 * workers / std::max<std::int64_t>(planes.n * planes.c, 1) : 1;
    constexpr std::int64_t kLeast = 8;
    const auto cut = [&](std::int64_t tile, std::int64_t size, std::int64_t pieces) {
      return std::min(
          tile, std::max((size + pieces - 1) / std::max<std::int64_t>(pieces, 1), std::min(kLeast, tile)));
    };
    if (wanted > 1) {
      it.h = cut(it.h, planes.targets(1), wanted);
      if (planes.targets(1) <= kLeast) it.d = cut(it.d, planes.targets(0), wanted);
      if (planes.targets(1) * planes.targets(0) <= kLeast) {
        it.w = std::max(cut(it.w, planes.targets(2), wanted),
                        std::min<std::int64_t>(it.w, 1024 / planes.channels + 1));
      }
    }
    const auto tiles = [](std::int64_t size, std::int64_t tile) { return (size + tile - 1) / tile; };
    it.tiles_d = tiles(planes.targets(0), std::max<std::int64_t>(it.d, 1));
    it.tiles_h = tiles(planes.targets(1), it.h);
    it.tiles_w = tiles(planes.targets(2), std::max<std::int64_t>(it.w, 1));
    return it;
  }

  // Tiles in the order in which a thread keeps most of what it has.
  Tile tile(const Planes& planes, const Tiling& tiling, std::int64_t unit) const {
    const auto digit = [&unit](std::int64_t base) {
      const std::int64_t value = unit % base;
      unit /= base;
      return value;
    };
    const auto span = [](std::int64_t i, std::int64_t size, std::int64_t all) {
      return Span{i * size, std::min(i * size + size, all)};
    };
    Tile it{};
    it.h = span(digit(tiling.tiles_h), tiling.h, planes.targets(1));
    it.d = span(digit(tiling.tiles_d), tiling.d, planes.targets(0));
    it.c = digit(planes.c);
    it.n = digit(planes.n);
    it.w = span(unit, tiling.w, planes.targets(2));
    return it;
  }

  // The tables of D and H for a tile.
  void of_tile(const Planes& planes, const Tile& tile, Scratch<T>& scratch) const {
    // Whole axes where that is not too much: then they last for all tiles.
    constexpr std::int64_t kWhole = 4096;
    const auto stretch = [&](std::size_t axis, const Span& own) {
      if (planes.targets(axis) <= kWhole) return whole(planes.targets(axis));
      return own;
    };
    const Span wanted_d = stretch(0, tile.d);
    const Span wanted_h = stretch(1, tile.h);
    if (scratch.tile_d != wanted_d) planes.fill(scratch.d, 0, scratch.tile_d = wanted_d);
    if (scratch.tile_h != wanted_h) planes.fill(scratch.h, 1, scratch.tile_h = wanted_h);
  }

  bool keeps_d, keeps_h, keeps_w;

 private:
  // About how many sources a target reaches: from a few of them.
  static std::int64_t reach(const Planes& planes, std::size_t axis) {
    TapTable<T> table;
    const std::int64_t count = planes.targets(axis);
    planes.fill(table, axis, {count / 2, std::min(count / 2 + 4, count)});
    return std::max<std::int64_t>(table.reach(), 1);
  }
};

}  // namespace cairn::resample
