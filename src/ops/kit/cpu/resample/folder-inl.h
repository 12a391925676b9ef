// The transpose of doubling: what positions give back to their cells. Lines are folded along W, then added to
// the sums of the cells before and behind them, along H and along D, in registers.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_FOLDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_FOLDER_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_FOLDER_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_FOLDER_INL_H_
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

template <typename In, typename Out>
class Folder {
  using T = SumOf<In>;
  using Tile = resample::DoublingTile;
  static constexpr hn::ScalableTag<T> kTag{};
  using V = hn::Vec<hn::ScalableTag<T>>;

  struct Scratch {
    Aligned<T> lines;  // folded along W, of one plane or two
    Aligned<T> rows;   // of each of these planes, the sums of the next cells along H
    Aligned<T> plane;  // the sums of the next cells along D
    Aligned<Out> row;
  };

  // Two positions end the sums of the cell before them and begin those of the cell behind them. At either end
  // of an axis one of them is not there, and the other belongs to one cell.
  struct Step {
    Step(std::int64_t k, std::int64_t cells)
        : position{k > 0 ? 2 * k - 1 : -1, k < cells ? 2 * k : -1},
          ends{T{0.75}, T{0.25}},
          begins{T{0.25}, T{0.75}} {
      if (k == 0) begins[0] = 0, begins[1] = 1;
      if (k == cells) ends[0] = 1, ends[1] = 0;
    }

    std::int64_t position[2];
    T ends[2], begins[2];
  };

 public:
  explicit Folder(const resample::Planes& planes)
      : p_(planes),
        keeps_d_(planes.axes[0].keeps_values()),
        streaming_(streams_past_cache(planes.read_elements() * static_cast<std::int64_t>(sizeof(In)) +
                                      planes.written_elements() * static_cast<std::int64_t>(sizeof(Out)))) {}

  HWY_ATTR void run(Workers& workers) const {
    resample::for_each_range_of_tiles(
        p_, workers,
        [&](const resample::DoublingTiles& tiles, std::int64_t begin, std::int64_t end) HWY_ATTR {
          const OfThread<Scratch> scratch;
          StreamWriter writer(streaming_);
          for (std::int64_t unit = begin; unit < end; ++unit) write_tile(*scratch, writer, tiles.tile(unit));
        });
  }

 private:
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(kTag));

  // A tile under way.
  struct Place {
    const Tile& tile;
    const In* from;
    Out* to;
    std::int64_t count, room;  // elements of a row, and in whole vectors
    std::int64_t batch;        // steps along H whose lines are folded at once
  };

  HWY_ATTR void write_tile(Scratch& scratch, StreamWriter& writer, const Tile& tile) const {
    // Elements of the lines of a batch: the nearest cache holds them.
    constexpr std::int64_t kBatch = 4096;
    const std::int64_t count = tile.w.size() * p_.channels;
    const std::int64_t room = (count + kLanes - 1) / kLanes * kLanes;
    const Place place{.tile = tile,
                      .from = static_cast<const In*>(p_.read.data) + tile.n * p_.read.n + tile.c * p_.read.c +
                              tile.kept_d * p_.read.d,
                      .to = static_cast<Out*>(p_.written.data) + tile.n * p_.written.n +
                            tile.c * p_.written.c + tile.kept_d * p_.written.d + tile.w.begin * p_.channels,
                      .count = count,
                      .room = room,
                      .batch = std::clamp<std::int64_t>(kBatch / (4 * room), 1, tile.h.size() + 1)};
    grow(scratch.lines, 4 * place.batch * room);
    grow(scratch.rows, 2 * room);
    grow(scratch.row, place.batch * room);
    if (!keeps_d_) grow(scratch.plane, tile.h.size() * room);
    const Span steps = keeps_d_ ? Span{0, 1} : Span{tile.d.begin, tile.d.end + 1};
    for (std::int64_t k = steps.begin; k < steps.end; ++k) {
      for (std::int64_t j = tile.h.begin; j <= tile.h.end; j += place.batch)
        fold_batch(scratch, writer, place, k, {j, std::min(j + place.batch, tile.h.end + 1)});
    }
  }

  // Some steps along H at step k along D.
  HWY_ATTR void fold_batch(Scratch& scratch, StreamWriter& writer, const Place& place, std::int64_t k,
                           const Span& steps) const {
    const Step deep(k, keeps_d_ ? 1 : p_.axes[0].in);
    const std::int64_t rows = 2 * steps.size();
    for (int z = 0; z < (keeps_d_ ? 1 : 2); ++z) {
      T* to = scratch.lines.data() + z * rows * place.room;
      const std::int64_t plane = keeps_d_ ? 0 : deep.position[z];
      if (plane < 0)
        std::fill_n(to, rows * place.room, T{0});
      else
        fold_lines(place, steps, place.from + plane * p_.read.d, to);
    }
    const Lines lines{scratch.lines.data(), scratch.lines.data() + rows * place.room, place.room};
    std::int64_t done = 0;
    // Steps that are weighed alike, one run of them after the other.
    for (std::int64_t j = steps.begin; j < steps.end;) {
      const std::int64_t cells = p_.axes[1].in;
      const bool is_first = j == place.tile.h.begin;
      const std::int64_t end = is_first || j == cells ? j + 1 : std::min(steps.end, cells);
      const Step high(j, cells);
      const Lines run = lines.from(2 * done);
      if (is_first)
        begin_rows(scratch, high, run);
      else if (!keeps_d_ && k == place.tile.d.begin)
        begin_plane(scratch, high, deep, run, {j, end}, place);
      else
        put(scratch, writer, place, k, {j, end}, [&](auto way, Out* row, std::int64_t stride) HWY_ATTR {
          if (keeps_d_)
            end_rows<decltype(way)>(scratch, high, run, end - j, row, stride);
          else
            end_plane<decltype(way)>(scratch, high, deep, run, {j, end}, place, row, stride);
        });
      done += end - j;
      j = end;
    }
  }

  // Calls body(way, row, stride): past the cache, through it, or by way of rows of our own if a last vector
  // would not fit.
  template <typename Body>
  HWY_ATTR void put(Scratch& scratch, StreamWriter& writer, const Place& place, std::int64_t k,
                    const Span& steps, const Body& body) const {
    Out* to = place.to + (keeps_d_ ? 0 : (k - 1) * p_.written.d) + (steps.begin - 1) * p_.written.h;
    const bool is_even = p_.written.h * static_cast<std::int64_t>(sizeof(Out)) % 64 == 0;
    if (writer.takes_lines(to, place.count) && (is_even || steps.size() == 1))
      return body(Streamed(), to, p_.written.h);
    if (!streaming_ && place.count % kLanes == 0) return body(Stored(), to, p_.written.h);
    body(Stored(), scratch.row.data(), place.room);
    for (std::int64_t i = 0; i < steps.size(); ++i)
      writer.write(to + i * p_.written.h, scratch.row.data() + i * place.room, place.count);
  }

  // The lines of some steps along H in one plane, folded along W; zeros where there is no position.
  HWY_ATTR void fold_lines(const Place& place, const Span& steps, const In* plane, T* to) const {
    const std::int64_t cells = p_.axes[2].in;
    if (p_.channels == 1 && cells == kLanes) return fold_short_lines(steps, plane, to);
    for (std::int64_t h = 2 * steps.begin - 1; h < 2 * steps.end - 1; ++h, to += place.room) {
      const In* line = plane + h * p_.read.h;
      if (h < 0 || h >= 2 * p_.axes[1].in) {
        std::fill_n(to, place.room, T{0});
      } else if (p_.channels == 1) {
        if (streaming_) prefetch_ahead(line, 2 * cells);
        undouble_line(kTag, cells, line, to);
      } else {
        undouble_cells(kTag, p_.channels, place.tile.w, cells, streaming_, line, to);
      }
    }
  }

  // Lines of one vector each, which take no longer than a call of their own.
  HWY_ATTR void fold_short_lines(const Span& steps, const In* plane, T* to) const {
    for (std::int64_t h = 2 * steps.begin - 1; h < 2 * steps.end - 1; ++h, to += kLanes) {
      const In* line = plane + h * p_.read.h;
      if (h < 0 || h >= 2 * p_.axes[1].in) {
        hn::Store(hn::Zero(kTag), kTag, to);
      } else {
        prefetch_ahead(line, 2 * kLanes);
        undouble_line(kTag, kLanes, line, to);
      }
    }
  }

  struct Weights {
    HWY_INLINE explicit Weights(const Step& step)
        : ends{hn::Set(kTag, step.ends[0]), hn::Set(kTag, step.ends[1])},
          begins{hn::Set(kTag, step.begins[0]), hn::Set(kTag, step.begins[1])} {}

    // A sum that two terms end; and the next, which they begin.
    HWY_INLINE V end(V sum, V first, V second) const {
      return hn::Add(hn::Add(sum, hn::Mul(ends[0], first)), hn::Mul(ends[1], second));
    }
    HWY_INLINE V begin(V first, V second) const {
      return hn::Add(hn::Mul(begins[0], first), hn::Mul(begins[1], second));
    }

    V ends[2], begins[2];
  };

  // Folded lines, two for each step, of one plane or two.
  struct Lines {
    const T* first;
    const T* second;
    std::int64_t room;

    Lines from(std::int64_t line) const { return {first + line * room, second + line * room, room}; }
  };

  HWY_ATTR void begin_rows(Scratch& scratch, const Step& high, const Lines& lines) const {
    const Weights weights(high);
    const std::int64_t room = lines.room;
    for (int z = 0; z < (keeps_d_ ? 1 : 2); ++z) {
      const T* HWY_RESTRICT from = z == 0 ? lines.first : lines.second;
      T* HWY_RESTRICT sums = scratch.rows.data() + z * room;
      for (std::int64_t i = 0; i < room; i += kLanes)
        hn::Store(weights.begin(hn::Load(kTag, from + i), hn::Load(kTag, from + room + i)), kTag, sums + i);
    }
  }

  // The sum along H that ends here, at one place; the next begins.
  static HWY_INLINE V next_row(const Weights& high, const T* lines, std::int64_t room, T* sums) {
    const auto first = hn::Load(kTag, lines);
    const auto second = hn::Load(kTag, lines + room);
    const auto sum = high.end(hn::Load(kTag, sums), first, second);
    hn::Store(high.begin(first, second), kTag, sums);
    return sum;
  }

  template <class Put>
  HWY_ATTR void end_rows(Scratch& scratch, const Step& step, const Lines& lines, std::int64_t steps,
                         Out* HWY_RESTRICT to, std::int64_t stride) const {
    const Weights high(step);
    const std::int64_t room = lines.room;
    T* HWY_RESTRICT sums = scratch.rows.data();
    for (std::int64_t step_number = 0; step_number < steps; ++step_number, to += stride) {
      const T* HWY_RESTRICT from = lines.first + 2 * step_number * room;
      // A sum of zeros is +0.0.
      for (std::int64_t i = 0; i < room; i += kLanes)
        Put::put(kTag, hn::Add(next_row(high, from + i, room, sums + i), hn::Zero(kTag)), to + i);
    }
  }

  HWY_ATTR void begin_plane(Scratch& scratch, const Step& row_step, const Step& plane_step,
                            const Lines& lines, const Span& steps, const Place& place) const {
    const Weights high(row_step);
    const Weights deep(plane_step);
    const std::int64_t room = lines.room;
    T* HWY_RESTRICT sums = scratch.rows.data();
    T* HWY_RESTRICT plane = scratch.plane.data() + (steps.begin - 1 - place.tile.h.begin) * room;
    for (std::int64_t step = 0; step < steps.size(); ++step, plane += room) {
      const T* HWY_RESTRICT near = lines.first + 2 * step * room;
      const T* HWY_RESTRICT far = lines.second + 2 * step * room;
      for (std::int64_t i = 0; i < room; i += kLanes) {
        const auto first = next_row(high, near + i, room, sums + i);
        const auto second = next_row(high, far + i, room, sums + room + i);
        hn::Store(deep.begin(first, second), kTag, plane + i);
      }
    }
  }

  template <class Put>
  HWY_ATTR void end_plane(Scratch& scratch, const Step& row_step, const Step& plane_step, const Lines& lines,
                          const Span& steps, const Place& place, Out* HWY_RESTRICT to,
                          std::int64_t stride) const {
    const Weights high(row_step);
    const Weights deep(plane_step);
    const std::int64_t room = lines.room;
    T* HWY_RESTRICT sums = scratch.rows.data();
    T* HWY_RESTRICT plane = scratch.plane.data() + (steps.begin - 1 - place.tile.h.begin) * room;
    for (std::int64_t step = 0; step < steps.size(); ++step, plane += room, to += stride) {
      const T* HWY_RESTRICT near = lines.first + 2 * step * room;
      const T* HWY_RESTRICT far = lines.second + 2 * step * room;
      for (std::int64_t i = 0; i < room; i += kLanes) {
        const auto first = next_row(high, near + i, room, sums + i);
        const auto second = next_row(high, far + i, room, sums + room + i);
        const auto sum = deep.end(hn::Load(kTag, plane + i), first, second);
        hn::Store(deep.begin(first, second), kTag, plane + i);
        Put::put(kTag, hn::Add(sum, hn::Zero(kTag)), to + i);
      }
    }
  }

  const resample::Planes p_;
  const bool keeps_d_, streaming_;
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
