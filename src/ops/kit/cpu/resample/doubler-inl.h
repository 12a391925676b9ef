// Planes doubled along W, H and D: lines are doubled along W once and kept, and the rows between two of them,
// or four, follow from them in registers.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLER_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLER_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_DOUBLER_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/resample/doubling-inl.h"
#include "ops/kit/cpu/resample/doubling_tiles.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/resample/sums-inl.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

template <typename E>
class Doubler {
  using T = SumOf<E>;
  using Tile = resample::DoublingTile;
  static constexpr hn::ScalableTag<T> kTag{};
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(kTag));

  struct Scratch {
    Aligned<T> lines;
    Aligned<T> nothing;  // a line of -0.0, which changes no sum
    Aligned<E> rows;
  };

  // The two positions between two cells. At either end there is one position, made of one cell; it is
  // computed twice, with a second cell that is not there.
  struct Step {
    Step(std::int64_t k, std::int64_t cells)
        : cell{std::max<std::int64_t>(k - 1, 0), k},
          position{2 * k - 1, 2 * k},
          weights{{T{0.75}, T{0.25}}, {T{0.25}, T{0.75}}} {
      if (k > 0 && k < cells) return;
      is_outer = true;
      position[k == 0 ? 0 : 1] = position[k == 0 ? 1 : 0];
      for (auto& pair : weights) {
        pair[0] = 1;
        pair[1] = 0;
      }
    }

    std::int64_t cell[2];
    std::int64_t position[2];
    T weights[2][2];
    bool is_outer = false;
  };

 public:
  explicit Doubler(const resample::Planes& planes)
      : p_(planes),
        keeps_d_(planes.axes[0].keeps_values()),
        streaming_(streams_past_cache((planes.read_elements() + planes.written_elements()) *
                                      static_cast<std::int64_t>(sizeof(E)))) {}

  HWY_ATTR void run(Workers& workers) const {
    resample::for_each_range_of_tiles(
        p_, workers,
        [&](const resample::DoublingTiles& tiles, std::int64_t begin, std::int64_t end) HWY_ATTR {
          const OfThread<Scratch> scratch;
          StreamWriter first(streaming_);
          StreamWriter second(streaming_);
          for (std::int64_t unit = begin; unit < end; ++unit)
            write_tile(*scratch, first, second, tiles.tile(unit));
        });
  }

 private:
  HWY_ATTR void write_tile(Scratch& scratch, StreamWriter& first, StreamWriter& second,
                           const Tile& tile) const {
    const E* from = static_cast<const E*>(p_.read.data) + tile.n * p_.read.n + tile.c * p_.read.c +
                    tile.kept_d * p_.read.d;
    E* to = static_cast<E*>(p_.written.data) + tile.n * p_.written.n + tile.c * p_.written.c +
            tile.kept_d * p_.written.d + 2 * tile.w.begin * p_.channels;
    const std::int64_t count = 2 * tile.w.size() * p_.channels;
    const Rows rows{count, (count + kLanes - 1) / kLanes * kLanes, whole_lines(to, count)};
    if (static_cast<std::int64_t>(scratch.nothing.size()) < rows.room)
      scratch.nothing.assign(static_cast<std::size_t>(rows.room), -T{0});
    if (is_staged(rows)) grow(scratch.rows, 4 * rows.room);
    if (keeps_d_) return double_plane(scratch, first, tile, rows, from, to);
    double_volume(scratch, first, second, tile, rows, from, to);
  }

  // Rows of a tile: their elements, the room that a line has for them, whether they are whole cache lines.
  struct Rows {
    std::int64_t count, room;
    bool are_lines;
  };

  // By way of rows of our own, which a writer then takes past the cache.
  bool is_staged(const Rows& rows) const { return streaming_ && !rows.are_lines; }

  bool whole_lines(const E* to, std::int64_t count) const {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(E));
    constexpr std::int64_t kLine = 64;
    return streaming_ && reinterpret_cast<std::uintptr_t>(to) % kLine == 0 && count * kSize % kLine == 0 &&
           p_.written.h * kSize % kLine == 0 && p_.written.d * kSize % kLine == 0;
  }

  // Some lines of a plane. Together, because short ones take no longer than a call of their own.
  HWY_ATTR void double_along_w(const Tile& tile, const Span& lines, const E* plane, T* to,
                               std::int64_t room) const {
    const std::int64_t cells = p_.axes[2].in;
    if (p_.channels == 1 && cells == kLanes) return double_short(lines, plane, to, room);
    for (std::int64_t h = lines.begin; h < lines.end; ++h, to += room) {
      const E* line = plane + h * p_.read.h;
      if (p_.channels == 1)
        double_line(kTag, cells, line, to);
      else
        double_cells(kTag, p_.channels, tile.w, cells, line, to);
    }
  }
  HWY_ATTR void double_short(const Span& lines, const E* plane, T* to, std::int64_t room) const {
    for (std::int64_t h = lines.begin; h < lines.end; ++h, to += room)
      double_line(kTag, kLanes, plane + h * p_.read.h, to);
  }

  HWY_ATTR void double_plane(Scratch& scratch, StreamWriter& writer, const Tile& tile, const Rows& rows,
                             const E* from, E* to) const {
    grow(scratch.lines, 2 * rows.room);
    const std::int64_t cells = p_.axes[1].in;
    const auto line_of = [&](std::int64_t h) { return scratch.lines.data() + (h & 1) * rows.room; };
    const auto keep = [&](std::int64_t h) HWY_ATTR {
      double_along_w(tile, {h, h + 1}, from, line_of(h), rows.room);
    };
    if (tile.h.begin > 0) keep(tile.h.begin - 1);
    for (std::int64_t k = tile.h.begin; k < tile.h.end; ++k) {
      if (k < cells) keep(k);
      const Step step(k, cells);
      const T* const lines[2] = {line_of(step.cell[0]), step.is_outer ? scratch.nothing.data() : line_of(k)};
      E* const places[2] = {to + step.position[0] * p_.written.h, to + step.position[1] * p_.written.h};
      if (rows.are_lines) {
        put_two<Streamed>(lines, step, rows.count, places);
      } else if (!streaming_) {
        put_two<Stored>(lines, step, rows.count, places);
      } else {
        E* const staged[2] = {scratch.rows.data(), scratch.rows.data() + rows.room};
        put_two<Stored>(lines, step, rows.count, staged);
        for (int i = step.is_outer ? 1 : 0; i < 2; ++i) writer.write(places[i], staged[i], rows.count);
      }
    }
  }

  HWY_ATTR void double_volume(Scratch& scratch, StreamWriter& first, StreamWriter& second, const Tile& tile,
                              const Rows& rows, const E* from, E* to) const {
    const std::int64_t planes = p_.axes[0].in;
    const Span lines{std::max<std::int64_t>(tile.h.begin - 1, 0), std::min(tile.h.end, p_.axes[1].in)};
    grow(scratch.lines, 2 * lines.size() * rows.room);
    const auto plane_of = [&](std::int64_t d) {
      return scratch.lines.data() + ((d & 1) * lines.size() - lines.begin) * rows.room;
    };
    const auto keep = [&](std::int64_t d) HWY_ATTR {
      double_along_w(tile, lines, from + d * p_.read.d, plane_of(d) + lines.begin * rows.room, rows.room);
    };
    if (tile.d.begin > 0) keep(tile.d.begin - 1);
    for (std::int64_t k = tile.d.begin; k < tile.d.end; ++k) {
      if (k < planes) keep(k);
      const Step deep(k, planes);
      const Between between{deep,
                            {plane_of(deep.cell[0]), deep.is_outer ? nullptr : plane_of(k)},
                            {to + deep.position[0] * p_.written.d, to + deep.position[1] * p_.written.d}};
      // Steps that are weighed alike, one run of them after the other.
      for (std::int64_t j = tile.h.begin, end = 0; j < tile.h.end; j = end) {
        const Step high(j, p_.axes[1].in);
        end = high.is_outer || is_staged(rows) ? j + 1 : std::min(tile.h.end, p_.axes[1].in);
        double_steps(scratch, first, second, rows, {j, end}, high, between);
      }
    }
  }

  // A step along D: two planes' lines, from that of cell 0 on (of an outer step the second is not there), and
  // the planes written between them.
  struct Between {
    const Step& step;
    const T* lines[2];
    E* planes[2];
  };

  // Four rows between four lines for each step of a run along H.
  HWY_ATTR void double_steps(Scratch& scratch, StreamWriter& first, StreamWriter& second, const Rows& rows,
                             const Span& steps, const Step& high, const Between& between) const {
    const T* const nothing = scratch.nothing.data();
    Sources sources[2];
    for (int z = 0; z < 2; ++z) {
      const T* plane = between.lines[z];
      const bool is_there = plane != nullptr;
      sources[z].line[0] = is_there ? plane + high.cell[0] * rows.room : nothing;
      sources[z].line[1] = is_there && !high.is_outer ? plane + high.cell[1] * rows.room : nothing;
      sources[z].stride = is_there ? rows.room : 0;
    }
    E* places[2][2];
    for (int z = 0; z < 2; ++z) {
      for (int y = 0; y < 2; ++y) places[z][y] = between.planes[z] + high.position[y] * p_.written.h;
    }
    const Run run{steps.size(), rows.count, 2 * p_.written.h};
    const Step& deep = between.step;
    if (rows.are_lines) return put_four<Streamed>(sources, high, deep, run, places);
    if (!streaming_) return put_four<Stored>(sources, high, deep, run, places);
    E* staged = scratch.rows.data();
    E* staged_rows[2][2] = {{staged, staged + rows.room}, {staged + 2 * rows.room, staged + 3 * rows.room}};
    put_four<Stored>(sources, high, deep, run, staged_rows);
    for (int y = high.is_outer ? 1 : 0; y < 2; ++y) {
      first.write(places[0][y], staged_rows[0][y], rows.count);
      if (!deep.is_outer) second.write(places[1][y], staged_rows[1][y], rows.count);
    }
  }

  using V = hn::Vec<hn::ScalableTag<T>>;

  // Weighted sums of two terms, for each of two positions.
  struct Weights {
    HWY_INLINE explicit Weights(const Step& step) {
      for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) of[i][k] = hn::Set(kTag, step.weights[i][k]);
      }
    }
    HWY_INLINE V sum(int position, V first, V second) const {
      return hn::Add(hn::Mul(of[position][0], first), hn::Mul(of[position][1], second));
    }

    V of[2][2];
  };

  // Two rows between two lines. The last vectors may compute some targets again.
  template <class Put>
  HWY_ATTR void put_two(const T* const (&from)[2], const Step& step, std::int64_t count,
                        E* const (&to)[2]) const {
    const T* HWY_RESTRICT near = from[0];
    const T* HWY_RESTRICT far = from[1];
    const Weights high(step);
    for (std::int64_t i = 0; i < count; i += 2 * kLanes) {
      i = std::min(i, count - 2 * kLanes);
      const auto near0 = hn::LoadU(kTag, near + i);
      const auto near1 = hn::LoadU(kTag, near + i + kLanes);
      const auto far0 = hn::LoadU(kTag, far + i);
      const auto far1 = hn::LoadU(kTag, far + i + kLanes);
      for (int y = 0; y < 2; ++y)
        put_vectors<Put>(kTag, high.sum(y, near0, far0), high.sum(y, near1, far1), to[y] + i);
    }
  }

  // Two lines of a plane, and how far it is from one step along H to the next; steps, their rows' elements,
  // and the same for the rows.
  struct Sources {
    const T* line[2];
    std::int64_t stride;
  };
  struct Run {
    std::int64_t steps, count, stride;
  };

  // Four rows between four lines: along H first, then along D.
  template <class Put>
  HWY_ATTR void put_four(const Sources (&from)[2], const Step& row_step, const Step& plane_step,
                         const Run& run, E* const (&to)[2][2]) const {
    const Weights high(row_step);
    const Weights deep(plane_step);
    for (std::int64_t step = 0; step < run.steps; ++step) {
      for (std::int64_t i = 0; i < run.count; i += 2 * kLanes) {
        i = std::min(i, run.count - 2 * kLanes);
        V lines[2][2][2];
        for (int z = 0; z < 2; ++z) {
          for (int y = 0; y < 2; ++y) {
            const T* HWY_RESTRICT line = from[z].line[y] + step * from[z].stride + i;
            for (int v = 0; v < 2; ++v) lines[z][y][v] = hn::LoadU(kTag, line + v * kLanes);
          }
        }
        for (int y = 0; y < 2; ++y) {
          V rows[2][2];
          for (int z = 0; z < 2; ++z) {
            for (int v = 0; v < 2; ++v) rows[z][v] = high.sum(y, lines[z][0][v], lines[z][1][v]);
          }
          for (int z = 0; z < 2; ++z) {
            put_vectors<Put>(kTag, deep.sum(z, rows[0][0], rows[1][0]), deep.sum(z, rows[0][1], rows[1][1]),
                             to[z][y] + step * run.stride + i);
          }
        }
      }
    }
  }

  const resample::Planes p_;
  const bool keeps_d_, streaming_;
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
