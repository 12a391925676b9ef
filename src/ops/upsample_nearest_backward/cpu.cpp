#include "ops/upsample_nearest_backward/cpu.h"

#include <utility>

#include "ops/kernel/split.h"
#include "ops/kernel/stream_writer.h"
#include "ops/upsample_nearest_backward/cpu_axis.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward {
namespace HWY_NAMESPACE {

template <typename T>
class Upsample {
 public:
  explicit Upsample(const Plan& plan)
      : plan_(plan),
        d_{plan.in.d, plan.out.d, plan.scale_d},
        h_{plan.in.h, plan.out.h, plan.scale_h},
        w_{plan.in.w, plan.out.w, plan.scale_w},
        read_(plan.grad_out),
        written_(plan.grad_input) {
    // Neighbours along W make the vectors, so an axis that is there in name only must not be W.
    for (int i = 0; i < 2 && w_.is_trivial(); ++i) {
      w_ = std::exchange(h_, std::exchange(d_, Axis{1, 1, 1.0F}));
      read_.w = std::exchange(read_.h, std::exchange(read_.d, 0));
      written_.w = std::exchange(written_.h, std::exchange(written_.d, 0));
    }
    const std::int64_t cells = plan.n * plan.c * d_.in * h_.in * w_.in;
    const std::int64_t positions = plan.n * plan.c * d_.out * h_.out * w_.out;
    const auto size = static_cast<std::int64_t>(sizeof(T));
    streaming_ = streams_past_cache((cells + positions) * size);
    constexpr std::int64_t kGrainBytes = 65536;
    grain_cells_ = std::max<std::int64_t>(kGrainBytes / size / (positions / cells + 1), 1);
  }

  HWY_ATTR void run(Workers& workers) const {
    if (plan_.c > 1 && read_.c == 1 && written_.c == 1) {
      run_along_channels(workers);
    } else {
      run_along_rows(workers);
    }
  }

 private:
  static constexpr auto kTile = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(T));

  // Cells in one tile of a line of `length`: all that fit, but short enough to give every worker a share.
  std::int64_t tile_length(std::int64_t length, std::int64_t lines, std::int64_t workers) const {
    constexpr std::int64_t kTilesPerWorker = 8;
    constexpr std::int64_t kLine = 64;
    if (lines >= workers * kTilesPerWorker) return std::min(length, kTile);
    const std::int64_t share = std::max(length * lines / (workers * kTilesPerWorker), grain_cells_);
    return std::min({(share + kLine - 1) / kLine * kLine, length, kTile});
  }

  // Channels last: a line is the channels of one cell, and its box is made of lines.
  void run_along_channels(Workers& workers) const {
    const std::int64_t lines = plan_.n * d_.in * h_.in * w_.in;
    const std::int64_t tile = tile_length(plan_.c, lines, workers.count());
    const std::int64_t tiles = (plan_.c + tile - 1) / tile;
    for_each_range(workers, lines * tiles, grain_cells_ / tile, 1, [&](std::int64_t begin, std::int64_t end) {
      StreamWriter writer(streaming_);
      std::int64_t c = begin % tiles * tile;
      std::int64_t w = begin / tiles % w_.in;
      std::int64_t h = begin / tiles / w_.in % h_.in;
      std::int64_t d = begin / tiles / w_.in / h_.in % d_.in;
      std::int64_t n = begin / tiles / w_.in / h_.in / d_.in;
      Range box_h = h_.box(h);
      Range box_d = d_.box(d);
      for (; begin < end; ++begin) {
        const std::int64_t count = std::min(tile, plan_.c - c);
        sum_line<OneEach>(box_at(n, c, box_d, box_h, w_.box(w)), count,
                          writer.room(cell_at(n, c, d, h, w), count));
        if ((c += tile) < plan_.c) continue;
        c = 0;
        if (++w < w_.in) continue;
        w = 0;
        if (++h == h_.in) {
          h = 0;
          if (++d == d_.in) d = 0, ++n;
          box_d = d_.box(d);
        }
        box_h = h_.box(h);
      }
    });
  }

  void run_along_rows(Workers& workers) const {
    const std::int64_t lines = plan_.n * plan_.c * d_.in * h_.in;
    const std::int64_t tile = tile_length(w_.in, lines, workers.count());
    const std::int64_t tiles = (w_.in + tile - 1) / tile;
    for_each_range(workers, lines * tiles, grain_cells_ / tile, 1, [&](std::int64_t begin, std::int64_t end) {
      StreamWriter writer(streaming_);
      LowTable table;
      std::int64_t w = begin % tiles * tile;
      std::int64_t h = begin / tiles % h_.in;
      std::int64_t d = begin / tiles / h_.in % d_.in;
      std::int64_t c = begin / tiles / h_.in / d_.in % plan_.c;
      std::int64_t n = begin / tiles / h_.in / d_.in / plan_.c;
      Range box_h = h_.box(h);
      Range box_d = d_.box(d);
      for (; begin < end; ++begin) {
        const Range cells{w, std::min(w + tile, w_.in)};
        write_row(box_at(n, c, box_d, box_h, {0, 1}), cells, cell_at(n, c, d, h, w), table, writer);
        if ((w += tile) < w_.in) continue;
        w = 0;
        if (++h == h_.in) {
          h = 0;
          if (++d == d_.in) {
            d = 0;
            if (++c == plan_.c) c = 0, ++n;
          }
          box_d = d_.box(d);
        }
        box_h = h_.box(h);
      }
    });
  }

  void write_row(const Box<T>& row, Range cells, T* to, LowTable& table, StreamWriter& writer) const {
    if (written_.w == 1) {
      sum_row(row, cells, writer.room(to, cells.count()), table);
      return;
    }
    T sums[kTile];
    sum_row(row, cells, sums, table);
    for (std::int64_t i = 0; i < cells.count(); ++i) to[i * written_.w] = sums[i];
  }

  // row.first is position 0 of the first of the rows that fall to these cells.
  void sum_row(const Box<T>& row, Range cells, T* to, LowTable& table) const {
    if (read_.w == 1) {
      if (const std::int64_t regular =
              std::clamp<std::int64_t>(w_.regular_cells(1) - cells.begin, 0, cells.count())) {
        sum_line<OneEach>(from_position(row, cells.begin), regular, to);
        cells.begin += regular;
        to += regular;
      } else if (const std::int64_t pairs =
                     std::clamp<std::int64_t>(w_.regular_cells(2) - cells.begin, 0, cells.count())) {
        sum_line<TwoEach>(from_position(row, 2 * cells.begin), pairs, to);
        cells.begin += pairs;
        to += pairs;
      } else if (sum_uneven_row(row, cells, to, table)) {
        return;
      }
    }
    for (; cells.begin < cells.end; ++cells.begin) {
      const Range box_w = w_.box(cells.begin);
      Box<T> box = from_position(row, box_w.begin * read_.w);
      box.count.w = box_w.count();
      sum_line<OneEach>(box, 1, to++);
    }
  }

  bool sum_uneven_row([[maybe_unused]] const Box<T>& row, [[maybe_unused]] Range cells,
                      [[maybe_unused]] T* to, [[maybe_unused]] LowTable& table) const {
#if defined(CAIRN_PERMUTES_LINES)
    const hn::ScalableTag<SumOf<T>> wide;
    if (!table.holds(cells)) table.fill(w_, cells.begin, static_cast<std::int64_t>(hn::Lanes(wide)));
    return try_sum_permuted(wide, row, w_.out, table, cells, to);
#else
    return false;
#endif
  }

  static Box<T> from_position(Box<T> row, std::int64_t offset) {
    row.first += offset;
    return row;
  }

  Box<T> box_at(std::int64_t n, std::int64_t c, Range d, Range h, Range w) const {
    const T* first = static_cast<const T*>(read_.data) + n * read_.n + c * read_.c + d.begin * read_.d +
                     h.begin * read_.h + w.begin * read_.w;
    return {first, {d.count(), h.count(), w.count()}, read_.d, read_.h, read_.w};
  }

  T* cell_at(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) const {
    return static_cast<T*>(written_.data) + n * written_.n + c * written_.c + d * written_.d +
           h * written_.h + w * written_.w;
  }

  const Plan& plan_;
  Axis d_, h_, w_;
  View5 read_, written_;
  bool streaming_;
  std::int64_t grain_cells_;
};

HWY_ATTR void run_upsample(const Plan& plan, Workers& workers) {
  switch (plan.type) {
    case DataType::kFloat16:
      return Upsample<Float16>(plan).run(workers);
    case DataType::kBf16:
      return Upsample<Bfloat16>(plan).run(workers);
    case DataType::kDouble:
      return Upsample<double>(plan).run(workers);
    default:
      return Upsample<float>(plan).run(workers);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cairn::upsample_nearest_backward
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {

HWY_EXPORT(run_upsample);

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.in.count() > 0) HWY_DYNAMIC_DISPATCH(run_upsample)(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest_backward
#endif
