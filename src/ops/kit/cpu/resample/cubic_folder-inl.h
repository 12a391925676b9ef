// The transpose of cubic doubling: lines are folded along W, some at a time, then added to the sums of four
// cells along H in registers.

#if defined(CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_FOLDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_FOLDER_INL_H_
#undef CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_FOLDER_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_RESAMPLE_CUBIC_FOLDER_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/resample/cubic_lines-inl.h"
#include "ops/kit/cpu/resample/cubic_taps.h"
#include "ops/kit/cpu/resample/doubling-inl.h"
#include "ops/kit/cpu/resample/doubling_tiles.h"
#include "ops/kit/cpu/resample/planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

template <typename E>
class CubicFolder {
  using T = SumOf<E>;
  using Tile = resample::DoublingTile;
  static constexpr hn::ScalableTag<T> kTag{};
  using V = hn::Vec<hn::ScalableTag<T>>;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(kTag));

  struct Scratch {
    Aligned<T> lines;  // folded along W, two for each step of a batch
    Aligned<T> sums;   // of three cells along H, a row each
    Aligned<E> rows;
  };

 public:
  explicit CubicFolder(const resample::Planes& planes)
      : p_(planes),
        streaming_(streams_past_cache((planes.read_elements() + planes.written_elements()) *
                                      static_cast<std::int64_t>(sizeof(E)))) {}

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
  // A tile under way.
  struct Place {
    Span rows;
    const E* from;
    E* to;
    std::int64_t count, room;  // elements of a row, and in whole vectors
  };

  // Step k along H has the positions 2k - 1 and 2k. They are the last two of cell k - 2, and the first two of
  // cell k + 1.
  HWY_ATTR void write_tile(Scratch& scratch, StreamWriter& writer, const Tile& tile) const {
    // Elements of the lines of a batch: the nearest cache holds them.
    constexpr std::int64_t kBatch = 4096;
    const std::int64_t count = p_.axes[2].in;
    const std::int64_t room = (count + kLanes - 1) / kLanes * kLanes;
    const Place place{.rows = tile.h,
                      .from = static_cast<const E*>(p_.read.data) + tile.n * p_.read.n + tile.c * p_.read.c +
                              tile.kept_d * p_.read.d,
                      .to = static_cast<E*>(p_.written.data) + tile.n * p_.written.n + tile.c * p_.written.c +
                            tile.kept_d * p_.written.d,
                      .count = count,
                      .room = room};
    const Span steps{tile.h.begin - 1, tile.h.end + 2};
    const std::int64_t batch = std::clamp<std::int64_t>(kBatch / (2 * room), 1, steps.size());
    grow(scratch.lines, 2 * batch * room);
    grow(scratch.sums, 3 * room);
    grow(scratch.rows, batch * room);
    std::fill_n(scratch.sums.data(), 3 * room, T{0});
    for (std::int64_t k = steps.begin; k < steps.end; k += batch)
      fold_batch(scratch, writer, place, {k, std::min(k + batch, steps.end)});
  }

  HWY_ATTR void fold_batch(Scratch& scratch, StreamWriter& writer, const Place& place,
                           const Span& steps) const {
    fold_lines(place, steps, scratch.lines.data());
    const T* lines = scratch.lines.data();
    const std::int64_t cells = p_.axes[1].in;
    for (std::int64_t k = steps.begin, end = 0; k < steps.end; k = end) {
      // Steps that are weighed alike and end a row are taken together.
      const bool is_alike = k > 2 && k < cells - 2 && k - 2 >= place.rows.begin;
      end = is_alike ? std::min(steps.end, cells - 2) : k + 1;
      add_steps(scratch, writer, place, {k, end}, lines);
      lines += 2 * (end - k) * place.room;
    }
  }

  // The lines of some steps, folded along W; zeros where there is no position.
  HWY_ATTR void fold_lines(const Place& place, const Span& steps, T* to) const {
    const Span wanted{2 * steps.begin - 1, 2 * steps.end - 1};
    const Span there{std::max<std::int64_t>(wanted.begin, 0), std::min(wanted.end, 2 * p_.axes[1].in)};
    std::fill(to, to + (std::min(there.begin, wanted.end) - wanted.begin) * place.room, T{0});
    to += (there.begin - wanted.begin) * place.room;
    if (there.begin < there.end)
      fold_cubic_lines(kTag, taps_, p_.axes[2].in, there.size(), streaming_,
                       place.from + there.begin * p_.read.h, p_.read.h, to, place.room);
    const std::int64_t absent = wanted.end - std::max(there.end, wanted.begin);
    if (absent > 0)
      std::fill_n(to + (wanted.end - absent - there.begin) * place.room, absent * place.room, T{0});
  }

  // Weights of the terms that a step has for cells k + 1, k, k - 1 and k - 2.
  struct Weights {
    Weights(const resample::CubicTaps<T>& taps, std::int64_t k, std::int64_t cells) {
      for (std::int64_t i = 0; i < 8; ++i) {
        const std::int64_t cell = k + 1 - i / 2;
        of[i] = cell == 0 ? taps.first[i] : cell == cells - 1 ? taps.last[i] : taps.inner[i];
      }
    }
    T of[8];
  };

  // Past the cache, through it, or by way of rows of our own if a last vector would not fit, or if the row is
  // none of the tile's.
  HWY_ATTR void add_steps(Scratch& scratch, StreamWriter& writer, const Place& place, const Span& steps,
                          const T* lines) const {
    const Weights weights(taps_, steps.begin, p_.axes[1].in);
    const std::int64_t row = steps.begin - 2;
    const bool is_there = row >= place.rows.begin;
    E* to = place.to + row * p_.written.h;
    T* sums = scratch.sums.data();
    const bool is_even = p_.written.h * static_cast<std::int64_t>(sizeof(E)) % 64 == 0;
    if (is_there && writer.takes_lines(to, place.count) && (is_even || steps.size() == 1))
      return add_lines<Streamed>(weights, lines, place.room, steps.size(), sums, to, p_.written.h);
    if (is_there && !streaming_ && place.count % kLanes == 0)
      return add_lines<Stored>(weights, lines, place.room, steps.size(), sums, to, p_.written.h);
    E* rows = scratch.rows.data();
    add_lines<Stored>(weights, lines, place.room, steps.size(), sums, rows, place.room);
    for (std::int64_t i = 0; is_there && i < steps.size(); ++i)
      writer.write(to + i * p_.written.h, rows + i * place.room, place.count);
  }

  template <class Put>
  HWY_NOINLINE static void add_lines(const Weights& weights, const T* lines, std::int64_t room,
                                     std::int64_t steps, T* sums, E* to, std::int64_t stride) {
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= room; i += 2 * kLanes)
      add_strips<2, Put>(weights, lines + i, room, steps, sums + i, to + i, stride);
    if (i < room) add_strips<1, Put>(weights, lines + i, room, steps, sums + i, to + i, stride);
  }

  // A vector or two of every line.
  template <int kVectors, class Put>
  HWY_INLINE static void add_strips(const Weights& weights, const T* HWY_RESTRICT lines, std::int64_t room,
                                    std::int64_t steps, T* HWY_RESTRICT sums, E* HWY_RESTRICT to,
                                    std::int64_t stride) {
    V weight[8];
    for (int i = 0; i < 8; ++i) weight[i] = hn::Set(kTag, weights.of[i]);
    V cells[3][kVectors];
    for (int i = 0; i < 3; ++i) {
      for (int v = 0; v < kVectors; ++v) cells[i][v] = hn::Load(kTag, sums + i * room + v * kLanes);
    }
    for (std::int64_t step = 0; step < steps; ++step, lines += 2 * room, to += stride) {
      V done[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        const auto first = hn::Load(kTag, lines + v * kLanes);
        const auto second = hn::Load(kTag, lines + room + v * kLanes);
        const auto add = [&](V sum, int tap) HWY_ATTR {
          return hn::Add(hn::Add(sum, hn::Mul(weight[tap], first)), hn::Mul(weight[tap + 1], second));
        };
        // A sum of zeros is +0.0.
        done[v] = hn::Add(add(cells[0][v], 6), hn::Zero(kTag));
        cells[0][v] = add(cells[1][v], 4);
        cells[1][v] = add(cells[2][v], 2);
        cells[2][v] = hn::Add(hn::Mul(weight[0], first), hn::Mul(weight[1], second));
      }
      if constexpr (kVectors == 2)
        put_vectors<Put>(kTag, done[0], done[1], to);
      else
        Put::put(kTag, done[0], to);
    }
    for (int i = 0; i < 3; ++i) {
      for (int v = 0; v < kVectors; ++v) hn::Store(cells[i][v], kTag, sums + i * room + v * kLanes);
    }
  }

  const resample::Planes p_;
  const bool streaming_;
  const resample::CubicTaps<T> taps_;
};

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
