// Every cell of a row has the same number of neighbouring positions: a vector of cells loads its terms whole.

#if defined(CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_REGULAR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_REGULAR_INL_H_
#undef CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_REGULAR_INL_H_
#else
#define CAIRN_OPS_UPSAMPLE_NEAREST_BACKWARD_CPU_REGULAR_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {

// Take is OneEach or TwoEach.
template <typename T, class Take>
class Regular {
 public:
  static constexpr bool kOneEach = Take::kWidth == 1;

  HWY_ATTR explicit Regular(const Plan& plan) : planes(plan, plan.grad_out, plan.grad_input, kOneEach) {
    // Lines that share a page are read faster one after the other than side by side.
    constexpr std::int64_t kPage = 4096;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(Wide<T>()));
    takes_rows_ = planes.w.in * planes.channels <= sums::kMostVectors * lanes ||
                  planes.read.h * static_cast<std::int64_t>(sizeof(T)) >= kPage;
  }

  // Sums of whole rows stay in registers.
  bool takes_rows(Task<T>& /*task*/) const { return takes_rows_; }

  HWY_ATTR void write_rows(Task<T>& task, const Rows<T>& rows) const {
    const std::int64_t count = planes.w.in * planes.channels;
    sum_rows(planes, task, rows, [&](const T* first, T* to) HWY_ATTR {
      sums::sum_cells<Take>(Wide<T>(), task.lines, first, count, to);
    });
  }

  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    if constexpr (kOneEach) {
      if (tile.channels > 1 && tile.dense && tile.lists_lines(planes.w))
        return sum_channels(planes, task, tile);
    }
    const std::int64_t begin = tile.cells.begin * planes.read.w * Take::kWidth;
    sum_in_memory(planes, task, tile, [&](SumOf<T>* sums_of_line, const T* line) HWY_ATTR {
      sums::add_to_sums<Take>(Wide<T>(), sums_of_line, line + begin, tile.count());
    });
  }

  const ScaledPlanes planes;

 private:
  bool takes_rows_;
};

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
