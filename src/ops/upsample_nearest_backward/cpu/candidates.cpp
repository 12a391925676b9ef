#include "ops/upsample_nearest_backward/cpu/candidates.h"

#include <array>
#include <utility>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/upsample_nearest_backward/cpu/axis.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/candidates.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

// Works on tiles: some neighbouring cells of one row of W, in one channel or, channels last, in several.
template <typename T>
class Upsample {
 public:
  explicit Upsample(const Plan& plan)
      : d_{plan.in.d, plan.out.d, plan.scale_d},
        h_{plan.in.h, plan.out.h, plan.scale_h},
        w_{plan.in.w, plan.out.w, plan.scale_w},
        read_(plan.grad_out),
        written_(plan.grad_input),
        planes_n_(plan.n),
        planes_c_(plan.c) {
    // Neighbours along W make the vectors, so an axis that is there in name only must not be W.
    for (int i = 0; i < 2 && w_.is_trivial(); ++i) {
      w_ = std::exchange(h_, std::exchange(d_, Axis{1, 1, 1.0F}));
      read_.w = std::exchange(read_.h, std::exchange(read_.d, 0));
      written_.w = std::exchange(written_.h, std::exchange(written_.d, 0));
    }
    if (plan.c > 1 && read_.c == 1 && written_.c == 1) std::swap(planes_c_, channels_);
    ones_ = w_.regular_cells(1) == w_.in && read_.w == channels_;
    pairs_ = w_.regular_cells(2) == w_.in && read_.w == 1 && channels_ == 1;
    // Lines that share a page are read faster one after the other than side by side.
    constexpr std::int64_t kPage = 4096;
    const std::int64_t cells = w_.in * channels_;
    by_rows_ = (ones_ || pairs_) && (cells <= kMostVectors * static_cast<std::int64_t>(hn::Lanes(Wide())) ||
                                     read_.h * static_cast<std::int64_t>(sizeof(T)) >= kPage);
  }

  HWY_ATTR void run(Workers& workers) const {
    const std::int64_t rows = planes_n_ * planes_c_ * d_.in * h_.in;
    const std::int64_t cells = rows * w_.in * channels_;
    const std::int64_t positions = planes_n_ * planes_c_ * d_.out * h_.out * w_.out * channels_;
    const auto size = static_cast<std::int64_t>(sizeof(T));
    const bool streaming = streams_past_cache((cells + positions) * size);

    // A tile fits the writer, but leaves every worker some.
    constexpr std::int64_t kGrainBytes = 65536;
    constexpr std::int64_t kTilesPerWorker = 8;
    const std::int64_t grain =
        std::max<std::int64_t>(kGrainBytes / size / (positions / std::max<std::int64_t>(cells, 1) + 1), 1);
    const std::int64_t share = std::max(cells / (workers.count() * kTilesPerWorker), grain);
    const std::int64_t tile_channels = std::min({channels_, kTile, share});
    const bool whole_channels = tile_channels == channels_ && (written_.w == channels_ || channels_ == 1);
    std::int64_t tile_width =
        whole_channels ? std::clamp<std::int64_t>(std::min(kTile, share) / channels_, 1, w_.in) : 1;
    if (channels_ == 1) tile_width = std::min((tile_width + kMostLanes - 1) / kMostLanes * kMostLanes, w_.in);
    const std::int64_t tiles_channels = (channels_ + tile_channels - 1) / tile_channels;
    const std::int64_t tiles_width = (w_.in + tile_width - 1) / tile_width;

    for_each_range(workers, rows * tiles_width * tiles_channels, grain / (tile_width * tile_channels), 1,
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                     run_tiles({begin, end}, tile_width, tile_channels, streaming);
                   });
  }

 private:
  using Wide = hn::ScalableTag<SumOf<T>>;
  static constexpr auto kTile = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(T));
  static constexpr std::int64_t kMostLanes = 64;
  static constexpr auto kSums = kTile + kMostLanes;  // whole vectors

  struct Task {
    explicit Task(bool streaming) : writer(streaming) {}
    StreamWriter writer;
    WindowTable table;
    alignas(64) SumOf<T> sums[kSums];
    Lines lines;
    Size3 listed{0, 0, 0};

    void list_lines(const View5& view, Size3 count) {
      if (count.d == listed.d && count.h == listed.h && count.w == listed.w) return;
      listed = count;
      lines.count = 0;
      for (std::int64_t d = 0; d < count.d; ++d) {
        for (std::int64_t h = 0; h < count.h; ++h) {
          for (std::int64_t w = 0; w < count.w; ++w) {
            lines.offsets[lines.count++] = d * view.d + h * view.h + w * view.w;
          }
        }
      }
    }
  };

  void run_tiles(Range tiles, std::int64_t width, std::int64_t channels, bool streaming) const {
    Task task(streaming);
    std::int64_t rest = tiles.begin;
    const auto next_digit = [&rest](std::int64_t base) {
      const std::int64_t digit = rest % base;
      rest /= base;
      return digit;
    };
    std::int64_t channel = next_digit((channels_ + channels - 1) / channels) * channels;
    std::int64_t w = next_digit((w_.in + width - 1) / width) * width;
    std::int64_t h = next_digit(h_.in);
    std::int64_t d = next_digit(d_.in);
    std::int64_t c = next_digit(planes_c_);
    std::int64_t n = rest;
    Range box_d = d_.box(d);
    Range box_h = h_.box(h);
    const bool whole_rows = width == w_.in && channels == channels_ && written_.w == channels_;
    while (tiles.begin < tiles.end) {
      const T* from = static_cast<const T*>(read_.data) + n * read_.n + c * read_.c + channel;
      T* to = static_cast<T*>(written_.data) + n * written_.n + c * written_.c + d * written_.d +
              h * written_.h + w * written_.w + channel;
      std::int64_t rows = 1;
      const bool lists_lines = box_d.count() <= Lines::kMost / h_.most();
      if (whole_rows && lists_lines && (by_rows_ || has_windows(task, {0, w_.in}))) {
        rows = std::min(h_.in - h, tiles.count());
        write_rows(task, box_d, {h, h + rows}, from, to);
        w = w_.in;
      } else {
        const Range cells{w, std::min(w + width, w_.in)};
        write_tile(task, box_d, box_h, cells, std::min(channels, channels_ - channel), from, to);
        if ((channel += channels) >= channels_) channel = 0, w += width;
      }
      tiles.begin += rows;
      if (w < w_.in) continue;
      w = 0;
      if ((h += rows) == h_.in) {
        h = 0;
        if (++d == d_.in) {
          d = 0;
          if (++c == planes_c_) c = 0, ++n;
        }
        box_d = d_.box(d);
      }
      box_h = h_.box(h);
    }
  }

  // Whole rows, one after the other. `from` is position 0 of the plane, `to` the first cell.
  void write_rows(Task& task, Range d, Range rows, const T* from, T* to) const {
    const std::int64_t count = w_.in * channels_;
    from += d.begin * read_.d;
    Range box{0, h_.low(rows.begin)};
    for (std::int64_t h = rows.begin; h < rows.end; ++h, to += written_.h) {
      box = {box.end, h_.low(h + 1)};
      task.list_lines(read_, {d.count(), box.count(), 1});
      const T* first = from + box.begin * read_.h;
      T* room = task.writer.room(to, count);
      if (ones_) {
        sum_cells<OneEach>(Wide(), task.lines, first, count, room);
      } else if (pairs_) {
        sum_cells<TwoEach>(Wide(), task.lines, first, count, room);
      } else {
        write_windows(task, {0, w_.in}, first, room);
      }
    }
  }

  // Cells of one row. `from` is position 0 of the plane, `to` the first cell.
  void write_tile(Task& task, Range d, Range h, Range cells, std::int64_t channels, const T* from,
                  T* to) const {
    const std::int64_t count = cells.count() * channels;
    const T* first = from + d.begin * read_.d + h.begin * read_.h;
    const bool dense = written_.w == channels || cells.count() == 1;
    if (dense && d.count() * h.count() * w_.most() <= Lines::kMost) {
      if (channels > 1)
        return write_channels(task, d, h, cells, channels, first, task.writer.room(to, count));
      if (has_windows(task, cells)) {
        task.list_lines(read_, {d.count(), h.count(), 1});
        return write_windows(task, cells, first, task.writer.room(to, count));
      }
    }
    std::fill_n(task.sums, count, SumOf<T>{0});
    for (std::int64_t z = 0; z < d.count(); ++z) {
      for (std::int64_t y = 0; y < h.count(); ++y) {
        add_line(task.sums, cells, channels, first + z * read_.d + y * read_.h);
      }
    }
    if (dense) return round_sums(Wide(), task.sums, count, task.writer.room(to, count));
    for (std::int64_t i = 0; i < count; ++i) {
      round_sums(hn::CappedTag<SumOf<T>, 1>(), task.sums + i, 1, to + i * written_.w);
    }
  }

  // `first` is position 0 of the first row that falls to these cells.
  void write_channels(Task& task, Range d, Range h, Range cells, std::int64_t channels, const T* first,
                      T* to) const {
    Range box{0, w_.low(cells.begin)};
    for (std::int64_t cell = cells.begin; cell < cells.end; ++cell, to += channels) {
      box = {box.end, w_.low(cell + 1)};
      task.list_lines(read_, {d.count(), h.count(), box.count()});
      sum_cells<OneEach>(Wide(), task.lines, first + box.begin * read_.w, channels, to);
    }
  }

  void add_line(SumOf<T>* sums, Range cells, std::int64_t channels, const T* line) const {
    if (ones_)
      return add_to_sums<OneEach>(Wide(), sums, line + cells.begin * read_.w, cells.count() * channels);
    if (pairs_) return add_to_sums<TwoEach>(Wide(), sums, line + 2 * cells.begin, cells.count());
    for (std::int64_t cell = cells.begin; cell < cells.end; ++cell, sums += channels) {
      const Range box = w_.box(cell);
      add_lines(Wide(), sums, line + box.begin * read_.w, channels, box.count(), read_.w);
    }
  }

#if HWY_TARGET == HWY_SCALAR
  bool has_windows(Task&, Range) const { return false; }
  void write_windows(Task&, Range, const T*, T*) const {}
#else
  bool has_windows(Task& task, Range cells) const {
    if (ones_ || pairs_ || channels_ > 1 || read_.w != 1) return false;
    if (!task.table.holds(cells))
      task.table.fill(w_, cells.begin, static_cast<std::int64_t>(hn::Lanes(Wide())));
    return task.table.vectors() > 0;
  }

  void write_windows(Task& task, Range cells, const T* first, T* to) const {
    if (task.lines.count == 0) std::fill_n(task.sums, cells.count(), SumOf<T>{0});
    sum_windows(Wide(), task.table, cells, task.lines, first, task.sums);
    round_sums(Wide(), task.sums, cells.count(), to);
  }
#endif

  Axis d_, h_, w_;
  View5 read_, written_;
  std::int64_t planes_n_, planes_c_;
  std::int64_t channels_ = 1;  // neighbours in memory, or 1
  bool ones_;                  // every cell has the position of its own number
  bool pairs_;                 // every cell has two positions
  bool by_rows_;               // whole rows are summed in registers
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

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {

HWY_EXPORT(run_upsample);

namespace {

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.in.count() > 0) HWY_DYNAMIC_DISPATCH(run_upsample)(plan, workers);
  return std::nullopt;
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, run_on_cpu>("all")};

}  // namespace

constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;

}  // namespace cairn::upsample_nearest_backward
#endif
