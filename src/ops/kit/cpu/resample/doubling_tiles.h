#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/span.h"

namespace cairn::resample {

// A piece of a plane that is doubled, or of one that a gradient is folded back into. Along D and H positions
// 2k - 1 and 2k lie between the cells k - 1 and k: that is step k, from 0 to the number of cells. Forward a
// tile is so many steps, backward so many cells; along W cells both ways.
struct DoublingTile {
  std::int64_t n, c, kept_d;  // of the plane; kept_d where D is not doubled
  Span d, h, w;
};

class DoublingTiles {
 public:
  DoublingTiles(const Planes& planes, int workers) : n_(planes.n), c_(planes.c) {
    const bool keeps_d = planes.axes[0].keeps_values();
    const std::int64_t more = planes.backward ? 0 : 1;
    kept_d_ = keeps_d ? planes.axes[0].in : 1;
    d_.all = keeps_d ? 1 : planes.axes[0].in + more;
    h_.all = planes.axes[1].in + more;
    w_.all = planes.axes[2].in;
    d_.size = d_.all;
    // Cells of a row: those of two rows fit the nearest cache, but a gradient reads some twice where it is
    // cut.
    const std::int64_t most = planes.backward ? 8192 : 2048;
    // Cells of a plane whose sums or lines the next cache holds.
    constexpr std::int64_t kPlane = std::int64_t{1} << 15;
    w_.size = planes.channels == 1 ? w_.all : std::clamp<std::int64_t>(most / planes.channels, 1, w_.all);
    const std::int64_t row = w_.size * planes.channels;
    h_.size =
        keeps_d ? h_.all : std::clamp<std::int64_t>(kPlane / row, std::min<std::int64_t>(8, h_.all), h_.all);
    even_out(h_);
    even_out(w_);
    // Each thread has several, even if neighbours then read some lines twice.
    const std::int64_t wanted = workers > 1 ? 8 * workers : 1;
    cut(d_, wanted);
    cut(h_, wanted);
  }

  std::int64_t count() const { return n_ * c_ * kept_d_ * d_.count() * h_.count() * w_.count(); }

  DoublingTile tile(std::int64_t unit) const {
    const auto digit = [&unit](std::int64_t base) {
      const std::int64_t value = unit % base;
      unit /= base;
      return value;
    };
    DoublingTile it{};
    it.w = w_.span(digit(w_.count()));
    it.h = h_.span(digit(h_.count()));
    it.d = d_.span(digit(d_.count()));
    it.kept_d = digit(kept_d_);
    it.c = digit(c_);
    it.n = unit;
    return it;
  }

 private:
  struct Axis {
    std::int64_t all, size;

    std::int64_t count() const { return (all + size - 1) / size; }
    Span span(std::int64_t i) const { return {i * size, std::min(i * size + size, all)}; }
  };

  static void even_out(Axis& axis) { axis.size = (axis.all + axis.count() - 1) / axis.count(); }

  void cut(Axis& axis, std::int64_t wanted) const {
    constexpr std::int64_t kLeast = 8;
    const std::int64_t there = std::max<std::int64_t>(count(), 1);
    if (there >= wanted || axis.size <= kLeast) return;
    const std::int64_t pieces = axis.count() * ((wanted + there - 1) / there);
    axis.size = std::max(kLeast, (axis.all + pieces - 1) / pieces);
  }

  std::int64_t n_, c_, kept_d_;
  Axis d_{}, h_{}, w_{};
};

// Shares the tiles out: calls body(tiles, begin, end) on every thread.
template <typename Body>
void for_each_range_of_tiles(const Planes& planes, Workers& workers, const Body& body) {
  const DoublingTiles tiles(planes, workers.count());
  const std::int64_t elements = (planes.read_elements() + planes.written_elements()) / tiles.count();
  for_each_range(workers, {.count = tiles.count(), .elements = elements},
                 [&](std::int64_t begin, std::int64_t end) { body(tiles, begin, end); });
}

}  // namespace cairn::resample
