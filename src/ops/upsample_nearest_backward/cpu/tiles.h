#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/scaled_planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/span.h"
#include "ops/upsample_nearest_backward/cpu/box_table.h"
#include "ops/upsample_nearest_backward/cpu/window_table.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cairn::upsample_nearest_backward {

// What a thread keeps from one tile to the next.
template <typename T>
struct Task {
  static constexpr auto kTile = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(T));
  static constexpr std::int64_t kMostLanes = 64;

  explicit Task(bool streaming) : writer(streaming) {}

  StreamWriter writer;
  alignas(64) SumOf<T> sums[kTile + kMostLanes];  // whole vectors
  WindowTable table;
  BoxTable<kTile + kMostLanes> boxes;
  LineOffsets lines;
};

// Some neighbouring cells of one row of W, in one channel or, where those lie side by side, in several.
template <typename T>
struct Tile {
  Span d, h;  // boxes of positions
  Span cells;
  std::int64_t channels;
  const T* first;  // position (d.begin, h.begin, 0)
  T* to;           // the first cell
  bool dense;      // the cells are one run

  std::int64_t count() const { return cells.size() * channels; }
  // Whether the lines that fall to a cell can be listed.
  bool lists_lines(const ScaleAxis& w) const { return d.size() * h.size() * w.most() <= LineOffsets::kMost; }
};

// Whole rows of a plane, one after the other.
template <typename T>
struct Rows {
  Span d;     // box of positions
  Span rows;  // of cells
  const T* from;
  T* to;
};

// A method that never takes whole rows.
template <typename T>
struct TilesAlone {
  const ScaledPlanes planes;

  static constexpr bool kHasTables = true;
  bool takes_rows(Task<T>& /*task*/) const { return false; }
  void write_rows(Task<T>& /*task*/, const Rows<T>& /*rows*/) const {}
};

// Method<T> says how cells are summed:
//   planes                    ScaledPlanes
//   kHasTables                whether it keeps what it looked up for some cells of a row
//   takes_rows(task)          whether whole rows are written at once, one after the other
//   write_rows(task, rows)    if so
//   write_tile(task, tile)    if not, or where there is less than a row
template <typename T, class Method>
class Tiles {
 public:
  explicit Tiles(const Plan& plan) : method_(plan), p_(method_.planes) {}

  void run(Workers& workers) const {
    const std::int64_t cells = p_.cells();
    const std::int64_t positions = p_.positions();
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool streaming = streams_past_cache((cells + positions) * size);

    // A tile fits the writer, but leaves every worker some.
    constexpr std::int64_t kGrainBytes = 65536;
    constexpr std::int64_t kTilesPerWorker = 8;
    constexpr std::int64_t kMostLanes = Task<T>::kMostLanes;
    const std::int64_t grain =
        std::max<std::int64_t>(kGrainBytes / size / (positions / std::max<std::int64_t>(cells, 1) + 1), 1);
    const std::int64_t share = std::max(cells / (workers.count() * kTilesPerWorker), grain);
    const std::int64_t channels = std::min({p_.channels, Task<T>::kTile, share});
    const bool whole_channels = channels == p_.channels && (p_.written.w == p_.channels || p_.channels == 1);
    std::int64_t width =
        whole_channels ? std::clamp<std::int64_t>(std::min(Task<T>::kTile, share) / p_.channels, 1, p_.w.in)
                       : 1;
    if (p_.channels == 1) width = std::min((width + kMostLanes - 1) / kMostLanes * kMostLanes, p_.w.in);
    const std::int64_t tiles_channels = (p_.channels + channels - 1) / channels;
    const std::int64_t tiles_width = (p_.w.in + width - 1) / width;
    const std::int64_t rows = p_.n * p_.c * p_.d.in * p_.h.in;

    const std::int64_t summed = positions / std::max<std::int64_t>(cells, 1) + 1;
    for_each_range(workers,
                   {.count = rows * tiles_width * tiles_channels, .elements = width * channels * summed},
                   [&](std::int64_t begin, std::int64_t end) {
                     Task<T> task(streaming);
                     write(task, {begin, end}, width, channels);
                   });
  }

 private:
  void write(Task<T>& task, Span tiles, std::int64_t width, std::int64_t channels) const {
    std::int64_t rest = tiles.begin;
    const auto next_digit = [&rest](std::int64_t base) {
      const std::int64_t digit = rest % base;
      rest /= base;
      return digit;
    };
    // Planes of a few long rows: the same place in all of them, so that tables serve more than one.
    constexpr std::int64_t kFewRows = 4;
    const bool places_first = Method::kHasTables && width < p_.w.in && p_.d.in * p_.h.in <= kFewRows;
    const std::int64_t widths = (p_.w.in + width - 1) / width;
    std::int64_t channel = next_digit((p_.channels + channels - 1) / channels) * channels;
    std::int64_t w = places_first ? 0 : next_digit(widths) * width;
    std::int64_t h = next_digit(p_.h.in);
    std::int64_t d = next_digit(p_.d.in);
    std::int64_t c = next_digit(p_.c);
    std::int64_t n = places_first ? next_digit(p_.n) : rest;
    if (places_first) w = rest * width;
    Span box_d = p_.d.box(d);
    Span box_h = p_.h.box(h);
    const bool whole_rows = width == p_.w.in && channels == p_.channels && p_.written.w == p_.channels;
    while (tiles.begin < tiles.end) {
      const T* from = static_cast<const T*>(p_.read.data) + n * p_.read.n + c * p_.read.c + channel;
      T* to = static_cast<T*>(p_.written.data) + n * p_.written.n + c * p_.written.c + d * p_.written.d +
              h * p_.written.h + w * p_.written.w + channel;
      std::int64_t rows = 1;
      if (whole_rows && box_d.size() == 0) {
        rows = std::min(p_.h.in - h, tiles.size());
        clear_rows(task, to, rows);
        w = p_.w.in;
      } else if (whole_rows && box_d.size() <= LineOffsets::kMost / p_.h.most() && method_.takes_rows(task)) {
        rows = std::min(p_.h.in - h, tiles.size());
        method_.write_rows(task, {box_d, {h, h + rows}, from, to});
        w = p_.w.in;
      } else {
        const Span cells{w, std::min(w + width, p_.w.in)};
        const std::int64_t some = std::min(channels, p_.channels - channel);
        method_.write_tile(
            task, {box_d, box_h, cells, some, from + box_d.begin * p_.read.d + box_h.begin * p_.read.h, to,
                   p_.written.w == some || cells.size() == 1});
        if ((channel += channels) >= p_.channels) {
          channel = 0;
          if (!places_first) w += width;
        }
      }
      tiles.begin += rows;
      if (channel > 0 || (!places_first && w < p_.w.in)) continue;
      if (!places_first) w = 0;
      if ((h += rows) == p_.h.in) {
        h = 0;
        if (++d == p_.d.in) {
          d = 0;
          if (++c == p_.c) c = 0, ++n;
          if (places_first && n == p_.n) n = 0, w += width;
        }
        box_d = p_.d.box(d);
      }
      box_h = p_.h.box(h);
    }
  }

  // Rows that no position belongs to.
  void clear_rows(Task<T>& task, T* to, std::int64_t rows) const {
    const std::int64_t count = p_.w.in * p_.channels;
    if (p_.written.h == count) return task.writer.write_zeros(to, rows * count);
    for (std::int64_t i = 0; i < rows; ++i) task.writer.write_zeros(to + i * p_.written.h, count);
  }

  const Method method_;
  const ScaledPlanes& p_;
};

template <template <typename> class Method>
void write_tiles(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.in.count() == 0) return;
  with_real_type(plan.type, [&]<typename T>() { Tiles<T, Method<T>>(plan).run(workers); });
}

}  // namespace cairn::upsample_nearest_backward
