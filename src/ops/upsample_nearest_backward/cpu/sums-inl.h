// What the methods share: sums of a tile in memory, of channels in registers, rows one after the other.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_SUMS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/upsample_nearest_backward/cpu/gathers-inl.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
namespace sums = cairn::HWY_NAMESPACE;

template <typename T>
using Wide = hn::ScalableTag<SumOf<T>>;

// Any tile: add_line(sums, line) adds to the sums of its cells what each is due from a line.
template <typename T, class AddLine>
HWY_INLINE void sum_in_memory(const ScaledPlanes& planes, Task<T>& task, const Tile<T>& tile,
                              const AddLine& add_line) {
  const std::int64_t count = tile.count();
  std::fill_n(task.sums, count, SumOf<T>{0});
  for (std::int64_t z = 0; z < tile.d.size(); ++z) {
    for (std::int64_t y = 0; y < tile.h.size(); ++y) {
      add_line(task.sums, tile.first + z * planes.read.d + y * planes.read.h);
    }
  }
  if (tile.dense) return sums::round_sums(Wide<T>(), task.sums, count, task.writer.room(tile.to, count));
  for (std::int64_t i = 0; i < count; ++i) {
    sums::round_sums(hn::CappedTag<SumOf<T>, 1>(), task.sums + i, 1, tile.to + i * planes.written.w);
  }
}

// The same for cells whose boxes may have any number of positions along W.
template <typename T>
HWY_INLINE void sum_boxes_in_memory(const ScaledPlanes& planes, Task<T>& task, const Tile<T>& tile) {
  if (tile.channels == 1 && task.boxes.holds(planes.w, planes.read.w, tile.cells)) {
    return sum_in_memory(planes, task, tile, [&](SumOf<T>* sums_of_line, const T* line) HWY_ATTR {
      add_gathered(Wide<T>(), task.boxes, tile.cells.size(), planes.read.w, line, sums_of_line);
    });
  }
  sum_in_memory(planes, task, tile, [&](SumOf<T>* sums_of_line, const T* line) HWY_ATTR {
    for (std::int64_t cell = tile.cells.begin; cell < tile.cells.end; ++cell) {
      const Span box = planes.w.box(cell);
      sums::add_lines(Wide<T>(), sums_of_line, line + box.begin * planes.read.w, tile.channels, box.size(),
                      planes.read.w);
      sums_of_line += tile.channels;
    }
  });
}

// Sums of the listed lines, `count` neighbouring cells. Compiled once for all that call it.
template <class Take, typename T>
HWY_NOINLINE void sum_listed(Task<T>& task, const T* first, std::int64_t count, T* to) {
  if (task.writer.takes_lines(to, count))
    return sums::sum_cells<Take, sums::Streamed>(Wide<T>(), task.lines, first, count, to);
  sums::sum_cells<Take, sums::Stored>(Wide<T>(), task.lines, first, count, task.writer.room(to, count));
}

// A dense tile with few lines to a cell.
template <typename T>
HWY_INLINE void sum_channels(const ScaledPlanes& planes, Task<T>& task, const Tile<T>& tile) {
  T* to = tile.to;
  Span box{0, planes.w.low(tile.cells.begin)};
  for (std::int64_t cell = tile.cells.begin; cell < tile.cells.end; ++cell, to += tile.channels) {
    box = {box.end, planes.w.low(cell + 1)};
    task.lines.list(planes.read, {tile.d.size(), tile.h.size(), box.size()});
    sum_listed<sums::OneEach>(task, tile.first + box.begin * planes.read.w, tile.channels, to);
  }
}

// sum_row(first, to) sums a row from the lines listed in the task.
template <typename T, class SumRow>
HWY_INLINE void sum_rows(const ScaledPlanes& planes, Task<T>& task, const Rows<T>& it,
                         const SumRow& sum_row) {
  const std::int64_t count = planes.w.in * planes.channels;
  const T* from = it.from + it.d.begin * planes.read.d;
  T* to = it.to;
  Span box{0, planes.h.low(it.rows.begin)};
  for (std::int64_t h = it.rows.begin; h < it.rows.end; ++h, to += planes.written.h) {
    box = {box.end, planes.h.low(h + 1)};
    if (box.size() == 0) {
      task.writer.write_zeros(to, count);
      continue;
    }
    task.lines.list(planes.read, {it.d.size(), box.size(), 1});
    sum_row(from + box.begin * planes.read.h, to);
  }
}

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
