// Planes resampled tile by tile: lines of the source are weighed along W as they are needed, the last few
// kept for H, the last few planes of those for D.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_RESAMPLER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_RESAMPLER_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_RESAMPLER_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_RESAMPLER_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "backend/kernel.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/resample/columns-inl.h"
#include "ops/kit/cpu/resample/doubling-inl.h"
#include "ops/kit/cpu/resample/lane_table.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/resample/scratch.h"
#include "ops/kit/cpu/resample/sums-inl.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

template <typename In, typename Out>
class Resampler {
  using T = SumOf<In>;
  using Scratch = resample::Scratch<T>;
  using Tile = resample::Tile;
  using Taps = typename TapTable<T>::Taps;
  static constexpr hn::ScalableTag<T> kTag{};

 public:
  explicit Resampler(const resample::Planes& planes)
      : p_(planes),
        start_(planes.backward ? T{0} : -T{0}),
        lanes_(static_cast<std::int64_t>(hn::Lanes(kTag))),
        dense_read_(planes.read.w == planes.channels),
        dense_write_(planes.written.w == planes.channels),
        spreads_channels_(planes.channels < kFewChannels),
        streaming_(streams_past_cache(planes.read_elements() * static_cast<std::int64_t>(sizeof(In)) +
                                      planes.written_elements() * static_cast<std::int64_t>(sizeof(Out)))),
        tables_(planes),
        prefetches_(streaming_ && dense_read_ && planes.channels == 1 && !tables_.keeps_d) {}

  HWY_ATTR void run(Workers& workers) const {
    const resample::Tiling tiling = tables_.tiling(p_, workers.count());
    const std::int64_t units = tiling.count(p_);
    if (units == 0) return;
    const std::int64_t elements = (p_.read_elements() + p_.written_elements()) / units;
    for_each_range(workers, {.count = units, .elements = elements},
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                     const OfThread<Scratch> scratch;
                     scratch->begin(key());
                     StreamWriter writer(streaming_);
                     for (std::int64_t unit = begin; unit < end; ++unit)
                       write_tile(*scratch, writer, tables_.tile(p_, tiling, unit));
                   });
  }

 private:
  // So few are weighed as neighbours of a line.
  static constexpr std::int64_t kFewChannels = 16;
  static constexpr std::int64_t kMostLanes = 64;

  resample::TableKey key() const {
    return {.axes = p_.axes,
            .backward = p_.backward,
            .dense_read = dense_read_,
            .widens = !std::is_same_v<In, T>,
            .channels = p_.channels,
            .lanes = lanes_};
  }

  HWY_ATTR void write_tile(Scratch& scratch, StreamWriter& writer, const Tile& tile) const {
    prepare(scratch, tile);
    const In* from = static_cast<const In*>(p_.read.data) + tile.n * p_.read.n + tile.c * p_.read.c;
    Out* to = static_cast<Out*>(p_.written.data) + tile.n * p_.written.n + tile.c * p_.written.c +
              tile.w.begin * p_.written.w;
    const std::int64_t count = tile.w.size() * p_.channels;
    if (writes_lines(scratch, writer, to, count)) return write_lines(scratch, tile, from, to);
    if (tables_.keeps_d) return march_along_h(scratch, writer, tile, from, to);
    // Rows that follow each other without gaps are one, as far as D is concerned.
    const bool is_one = dense_write_ && p_.written.h == count && scratch.row == count &&
                        !(tables_.keeps_h && tables_.keeps_w && !scratch.copies_lines);
    const std::int64_t rows = is_one ? tile.h.size() : 1;
    for (std::int64_t d = tile.d.begin; d < tile.d.end;) {
      const auto taps = scratch.d.of(d);
      for (std::int64_t i = 0; i < taps.count; ++i) keep_plane(scratch, tile, from, taps.sources[i]);
      const bool two = d + 1 < tile.d.end && are_alike(taps, scratch.d.of(d + 1));
      for (std::int64_t h = tile.h.begin; h < tile.h.end; h += rows) {
        for (std::int64_t i = 0; i < taps.count; ++i)
          scratch.lines[static_cast<std::size_t>(i)] = plane_line(scratch, tile, taps.sources[i], h);
        Out* row = to + d * p_.written.d + h * p_.written.h;
        if (two)
          finish_two(scratch, writer, taps, scratch.d.of(d + 1), rows * count, row, row + p_.written.d);
        else
          finish(scratch, writer, taps, rows * count, row);
      }
      d += two ? 2 : 1;
    }
  }

  bool writes_lines([[maybe_unused]] const Scratch& scratch, [[maybe_unused]] const StreamWriter& writer,
                    [[maybe_unused]] const Out* to, [[maybe_unused]] std::int64_t count) const {
    // Halves are half a line to a vector, and vectors come too slowly here for two to be written as one.
    if constexpr (sizeof(Out) == 2) return false;
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(Out));
    return tables_.keeps_d && tables_.keeps_h && !tables_.keeps_w && dense_write_ && spreads_channels_ &&
           !scratch.takes_columns && !scratch.doubles && count % lanes_ == 0 &&
           writer.takes_lines(to, count) && p_.written.h * kSize % 64 == 0 && p_.written.d * kSize % 64 == 0;
  }

  // D is walked, not resampled.
  HWY_ATTR void march_along_h(Scratch& scratch, StreamWriter& writer, const Tile& tile, const In* from,
                              Out* to) const {
    const std::int64_t count = tile.w.size() * p_.channels;
    for (std::int64_t d = tile.d.begin; d < tile.d.end; ++d) {
      for (std::int64_t h = tile.h.begin; h < tile.h.end;) {
        const auto taps = scratch.h.of(h);
        for (std::int64_t i = 0; i < taps.count; ++i)
          scratch.lines[static_cast<std::size_t>(i)] = weighed_line(scratch, from, d, taps.sources[i]);
        Out* row = to + d * p_.written.d + h * p_.written.h;
        const bool two = h + 1 < tile.h.end && are_alike(taps, scratch.h.of(h + 1));
        if (two)
          finish_two(scratch, writer, taps, scratch.h.of(h + 1), count, row, row + p_.written.h);
        else
          finish(scratch, writer, taps, count, row);
        h += two ? 2 : 1;
      }
    }
  }

  // The tables and the room that a tile needs; what the one before left is used where it fits.
  void prepare(Scratch& scratch, const Tile& tile) const {
    tables_.of_tile(p_, tile, scratch);
    if (scratch.tile_w != tile.w) {
      scratch.tile_w = tile.w;
      p_.fill(scratch.w, 2, tile.w);
      scratch.sources = resample::sources_of(scratch.w);
      const std::int64_t count = scratch.sources.size() * p_.channels;
      scratch.copies_lines =
          !std::is_same_v<In, T> || !dense_read_ || (!tables_.keeps_w && count < 2 * lanes_);
      if (spreads_channels_ && !tables_.keeps_w) {
        const std::int64_t readable = scratch.copies_lines ? std::max(count, 2 * lanes_) : count;
        scratch.lanes.fill(scratch.w, p_.channels, scratch.sources, lanes_, readable);
      }
      grow(scratch.copy, std::max(count, 2 * lanes_) + lanes_);
      // Where targets reach far, several lines are weighed at once, if all of them are wanted anyway.
      const bool is_whole = p_.channels == 1 && lanes_ > 1 && tile.w.size() == p_.targets(2);
      scratch.doubles = is_whole && resample::is_doubled(p_.axes[2]) && p_.axes[2].in >= lanes_;
      scratch.doubles_cubic = is_whole && !p_.backward && p_.axes[2].in > lanes_ + 2 &&
                              resample::is_doubled(p_.axes[2], Filter::kCubic);
      scratch.takes_columns =
          !scratch.doubles && spreads_channels_ && !tables_.keeps_w && dense_read_ &&
          scratch.lanes.gathers() &&
          (p_.backward || tables_.keeps_h || p_.axes[1].filter >= Filter::kAntialiasedLinear);
      if (scratch.takes_columns) {
        grow(scratch.columns, count * lanes_);
        grow(scratch.weighed_columns, tile.w.size() * p_.channels * lanes_);
      }
    }
    scratch.row = (tile.w.size() * p_.channels + lanes_ - 1) / lanes_ * lanes_;
    scratch.make_room(tile, tables_.keeps_d, tables_.keeps_h, scratch.takes_columns ? lanes_ : 1);
  }

  // A line of the source at (d, h), weighed along W.
  HWY_ATTR const T* weighed_line(Scratch& scratch, const In* from, std::int64_t d, std::int64_t h) const {
    const In* line = from + d * p_.read.d + h * p_.read.h + scratch.sources.begin * p_.read.w;
    if constexpr (std::is_same_v<In, T>) {
      if (tables_.keeps_w && !scratch.copies_lines) return line;
    }
    const auto [place, is_there] = scratch.rows.find(h, d);
    T* to = scratch.row_memory.data() + place * scratch.row;
    if (is_there) return to;
    if (!scratch.takes_columns) {
      weigh(scratch, line, to);
      return to;
    }
    const std::int64_t some = std::min(lanes_, p_.sources(1) - h);
    T* places[kMostLanes];
    for (std::int64_t i = 0; i < some; ++i)
      places[i] = scratch.row_memory.data() + scratch.rows.find(h + i, d).first * scratch.row;
    weigh_some(scratch, line, some, places);
    return to;
  }

  // `some` lines that follow each other along H, at most as many as lanes.
  HWY_ATTR void weigh_some(Scratch& scratch, const In* line, std::int64_t some, T** to) const {
    const In* lines[kMostLanes];
    for (std::int64_t i = 0; i < lanes_; ++i) {
      // Lanes that are left over repeat the first line.
      lines[i] = line + (i < some ? i : 0) * p_.read.h;
      if (i >= some) to[i] = to[0];
    }
    to_columns(kTag, lines, scratch.sources.size() * p_.channels, scratch.columns.data());
    weigh_columns(kTag, scratch.w, start_, p_.channels, scratch.sources.begin, scratch.columns.data(),
                  scratch.weighed_columns.data());
    from_columns(kTag, scratch.weighed_columns.data(), scratch.w.targets().size() * p_.channels, to);
  }

  HWY_ATTR void weigh(Scratch& scratch, const In* line, T* to) const {
    const std::int64_t count = scratch.sources.size() * p_.channels;
    if (prefetches_) prefetch_next(line, count);
    if (tables_.keeps_w) return widen(line, count, to);
    const T* source = widened_line(scratch, line, count);
    if (scratch.doubles) {
      const std::int64_t cells = p_.axes[2].in;
      return p_.backward ? undouble_line(kTag, cells, source, to) : double_line(kTag, cells, source, to);
    }
    if (scratch.doubles_cubic) return double_cubic(scratch, source, to);
    if (spreads_channels_) return weigh_line<Kept>(kTag, scratch.lanes, start_, source, to);
    const Span targets = scratch.w.targets();
    for (std::int64_t w = targets.begin; w < targets.end; ++w, to += p_.channels) {
      const auto taps = scratch.w.of(w);
      for (std::int64_t i = 0; i < taps.count; ++i)
        scratch.cells[static_cast<std::size_t>(i)] =
            source + (taps.sources[i] - scratch.sources.begin) * p_.channels;
      weigh_lines<Kept>(kTag, start_, scratch.cells.data(), taps.weights, taps.count, 0, p_.channels, to);
    }
  }

  // Two threads, ms with it and rows made in pairs, and without: c2-x2 FLOAT 2.4 and 3.7.
  HWY_ATTR void double_cubic(const Scratch& scratch, const T* source, T* to) const {
    const std::int64_t cells = p_.axes[2].in;
    const std::int64_t middle = cells / 2 * 2;
    double_line_cubic(kTag, cells, scratch.w.of(middle).weights, scratch.w.of(middle + 1).weights, source,
                      to);
    for (const std::int64_t position :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, 2 * cells - 3, 2 * cells - 2, 2 * cells - 1}) {
      const auto taps = scratch.w.of(position);
      T sum = start_;
      for (std::int64_t i = 0; i < taps.count; ++i) sum += taps.weights[i] * source[taps.sources[i]];
      to[position] = sum;
    }
  }

  // The line itself, or a copy of it that vectors may take more of.
  HWY_ATTR const T* widened_line(Scratch& scratch, const In* line, std::int64_t count) const {
    if constexpr (std::is_same_v<In, T>) {
      if (!scratch.copies_lines) return line;
    }
    widen(line, count, scratch.copy.data());
    return scratch.copy.data();
  }

  // Lines that W alone resamples are written as they are weighed. With that, and with tiles that the nearest
  // cache holds, l1-audio FLOAT forward takes two threads 23 ms instead of 31.
  HWY_ATTR void write_lines(Scratch& scratch, const Tile& tile, const In* from, Out* to) const {
    const std::int64_t count = scratch.sources.size() * p_.channels;
    for (std::int64_t d = tile.d.begin; d < tile.d.end; ++d) {
      for (std::int64_t h = tile.h.begin; h < tile.h.end; ++h) {
        const In* line = from + d * p_.read.d + h * p_.read.h + scratch.sources.begin * p_.read.w;
        weigh_line<Streamed>(kTag, scratch.lanes, start_, widened_line(scratch, line, count),
                             to + d * p_.written.d + h * p_.written.h);
      }
    }
  }

  // Lines to come, so that memory is busy while planes are weighed along H and D. One thread, ms with it and
  // without: t3-unet FLOAT backward 7.9 and 10.0.
  static HWY_INLINE void prefetch_next(const In* line, std::int64_t count) {
    constexpr std::uintptr_t kAhead = 16384;
    constexpr std::uintptr_t kLine = 64;
    const auto begin = reinterpret_cast<std::uintptr_t>(line) + kAhead;
    const std::uintptr_t end = begin + static_cast<std::uintptr_t>(count) * sizeof(In);
    for (std::uintptr_t at = begin; at < end; at += kLine)
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 2);
  }

  HWY_ATTR void widen(const In* line, std::int64_t count, T* to) const {
    std::int64_t i = 0;
    if (dense_read_) {
      for (; i + lanes_ <= count; i += lanes_) hn::StoreU(load_float(kTag, line + i), kTag, to + i);
    }
    const hn::CappedTag<T, 1> one;
    for (; i < count; ++i) {
      const In* element = line + i / p_.channels * p_.read.w + i % p_.channels;
      hn::StoreU(load_float(one, element), one, to + i);
    }
  }

  // The rows of a plane of the source that a tile needs, weighed along W and H.
  HWY_ATTR void keep_plane(Scratch& scratch, const Tile& tile, const In* from, std::int64_t d) const {
    const auto [place, is_there] = scratch.planes.find(d, 0);
    if (is_there) return;
    const T** rows = scratch.plane_rows.data() + place * tile.h.size();
    T* memory = scratch.plane_memory.data() + place * tile.h.size() * scratch.row;
    if (tables_.keeps_h && scratch.takes_columns) return keep_columns(scratch, tile, from, d, rows, memory);
    for (std::int64_t h = tile.h.begin; h < tile.h.end; ++h, ++rows, memory += scratch.row) {
      *rows = memory;
      if (tables_.keeps_h) {
        const In* line = from + d * p_.read.d + h * p_.read.h + scratch.sources.begin * p_.read.w;
        if constexpr (std::is_same_v<In, T>) {
          if (tables_.keeps_w && !scratch.copies_lines) {
            *rows = line;
            continue;
          }
        }
        weigh(scratch, line, memory);
        continue;
      }
      const auto taps = scratch.h.of(h);
      for (std::int64_t i = 0; i < taps.count; ++i)
        scratch.lines[static_cast<std::size_t>(i)] = weighed_line(scratch, from, d, taps.sources[i]);
      weigh_lines<Kept>(kTag, start_, scratch.lines.data(), taps.weights, taps.count, 0,
                        tile.w.size() * p_.channels, memory);
    }
  }
  HWY_ATTR void keep_columns(Scratch& scratch, const Tile& tile, const In* from, std::int64_t d,
                             const T** rows, T* memory) const {
    for (std::int64_t h = tile.h.begin; h < tile.h.end; h += lanes_) {
      const std::int64_t some = std::min(lanes_, tile.h.end - h);
      T* places[kMostLanes];
      for (std::int64_t i = 0; i < some; ++i, memory += scratch.row) *rows++ = places[i] = memory;
      weigh_some(scratch, from + d * p_.read.d + h * p_.read.h + scratch.sources.begin * p_.read.w, some,
                 places);
    }
  }
  const T* plane_line(const Scratch& scratch, const Tile& tile, std::int64_t d, std::int64_t h) const {
    return scratch
        .plane_rows[static_cast<std::size_t>(scratch.planes.place_of(d) * tile.h.size() + h - tile.h.begin)];
  }

  // The last pass, of one row or several, and what it is rounded to.
  HWY_ATTR void finish(const Scratch& scratch, StreamWriter& writer, const Taps& taps, std::int64_t count,
                       Out* to) const {
    constexpr auto kRoom = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Out));
    const T* const* lines = scratch.lines.data();
    if (dense_write_) {
      if (writer.takes_lines(to, count))
        return weigh_lines<Streamed>(kTag, start_, lines, taps.weights, taps.count, 0, count, to);
      for (std::int64_t i = 0; i < count; i += kRoom) {
        const std::int64_t some = std::min(kRoom, count - i);
        weigh_lines<Stored>(kTag, start_, lines, taps.weights, taps.count, i, some,
                            writer.room(to + i, some));
      }
      return;
    }
    const hn::CappedTag<T, 1> one;
    for (std::int64_t i = 0; i < count; ++i) {
      Out* element = to + i / p_.channels * p_.written.w + i % p_.channels;
      weigh_lines_by<0, Stored>(one, start_, lines, taps.weights, taps.count, i, 1, element);
    }
  }

  // Two neighbours, forward, with the same two sources or the same four.
  bool are_alike(const Taps& one, const Taps& other) const {
    return !p_.backward && (one.count == 2 || one.count == 4) && one.count == other.count &&
           std::equal(one.sources, one.sources + one.count, other.sources);
  }

  // Past the cache both at once; through it one after the other, since rows in turn take longer there.
  HWY_ATTR void finish_two(const Scratch& scratch, StreamWriter& writer, const Taps& taps, const Taps& others,
                           std::int64_t count, Out* to, Out* other) const {
    const T* const* lines = scratch.lines.data();
    if (dense_write_ && writer.takes_lines(to, count) && writer.takes_lines(other, count)) {
      if (taps.count == 4)
        return weigh_two_rows<4, Streamed>(kTag, lines, taps.weights, others.weights, count, to, other);
      return weigh_two_rows<2, Streamed>(kTag, lines, taps.weights, others.weights, count, to, other);
    }
    finish(scratch, writer, taps, count, to);
    finish(scratch, writer, others, count, other);
  }

  const resample::Planes p_;
  const T start_;
  const std::int64_t lanes_;
  const bool dense_read_, dense_write_, spreads_channels_, streaming_;
  const resample::Tables<T> tables_;
  const bool prefetches_;
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
