#include <algorithm>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/target.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/windows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"
#if HWY_TARGET != HWY_SCALAR
#include "ops/upsample_nearest_backward/cpu/windows-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void sum_windows_of(const Plan& /*plan*/, Workers& /*workers*/) {}

#else
namespace {

template <typename T>
class Method {
 public:
  static constexpr bool kHasTables = true;

  static HWY_ATTR std::int64_t lanes() { return static_cast<std::int64_t>(hn::Lanes(Wide<T>())); }

  explicit Method(const Plan& plan) : planes(plan, plan.grad_out, plan.grad_input, false) {}

  bool takes_rows(Task<T>& task) const { return has_windows(task, {0, planes.w.in}); }

  HWY_ATTR void write_rows(Task<T>& task, const Rows<T>& rows) const {
    sum_rows(planes, task, rows, [&](const T* first, T* to) HWY_ATTR {
      write_windows(task, {0, planes.w.in}, first, to);
    });
  }

  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    if (!tile.lists_lines(planes.w) || !has_windows(task, tile.cells))
      return sum_boxes_in_memory(planes, task, tile);
    task.lines.list(planes.read, {tile.d.size(), tile.h.size(), 1});
    write_windows(task, tile.cells, tile.first, tile.to);
  }

  const ScaledPlanes planes;

 private:
  bool has_windows(Task<T>& task, Span cells) const {
    if (!task.table.holds(cells)) task.table.fill(planes.w, cells.begin, lanes());
    return task.table.vectors() > 0;
  }

  HWY_ATTR void write_windows(Task<T>& task, Span cells, const T* first, T* to) const {
    if (task.lines.count == 0) std::fill_n(task.sums, cells.size(), SumOf<T>{0});
    sum_windows(Wide<T>(), task.table, cells, task.lines, first, task.sums);
    sums::round_sums(Wide<T>(), task.sums, cells.size(), task.writer.room(to, cells.size()));
  }
};

}  // namespace

void sum_windows_of(const Plan& plan, Workers& workers) { write_tiles<Method>(plan, workers); }

#endif

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward::windows {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input, false);
  const std::int64_t lanes = plan.type == DataType::kDouble ? float_lanes() / 2 : float_lanes();
  if (lanes <= 1) return "this instruction set has no vectors";
  if (planes.read.w != 1) return "gradOut is strided along W";
  if (planes.written.w != 1 && planes.w.in > 1) return "gradInput is strided along W";
  if (planes.w.scale > static_cast<float>(WindowTable::kMostVectors))
    return "cells have many positions along W";
  if (planes.w.out < lanes) return "a line of gradOut is shorter than a vector";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_windows_of)

}  // namespace cairn::upsample_nearest_backward::windows
#endif
