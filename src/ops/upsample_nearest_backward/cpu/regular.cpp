// Every cell of a row has the same number of neighbouring positions, one, two or four: a vector of cells
// loads its terms whole.

#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest_backward/cpu/tiles.h"
#include "ops/upsample_nearest_backward/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest_backward/cpu/regular.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/upsample_nearest_backward/cpu/sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest_backward::HWY_NAMESPACE {
namespace {

// Take is OneEach, TwoEach or FourEach.
template <typename T, class Take>
class Regular {
 public:
  static constexpr bool kOneEach = Take::kWidth == 1;
  static constexpr bool kHasTables = false;

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
    sum_rows(planes, task, rows,
             [&](const T* first, T* to) HWY_ATTR { sum_listed<Take>(task, first, count, to); });
  }

  HWY_ATTR void write_tile(Task<T>& task, const Tile<T>& tile) const {
    if constexpr (kOneEach) {
      if (tile.channels > 1 && tile.dense && tile.lists_lines(planes.w))
        return sum_channels(planes, task, tile);
    }
    const std::int64_t begin = tile.cells.begin * planes.read.w * Take::kWidth;
    if (tile.dense && tile.channels == 1 && tile.d.size() == 1 && tile.h.size() == 1) {
      task.lines.list(planes.read, {1, 1, 1});
      return sum_listed<Take>(task, tile.first + begin, tile.count(), tile.to);
    }
    sum_in_memory(planes, task, tile, [&](SumOf<T>* sums_of_line, const T* line) HWY_ATTR {
      sums::add_to_sums<Take>(Wide<T>(), sums_of_line, line + begin, tile.count());
    });
  }

  const ScaledPlanes planes;

 private:
  bool takes_rows_;
};

template <typename T>
using OneEach = Regular<T, sums::OneEach>;
template <typename T>
using TwoEach = Regular<T, sums::TwoEach>;
template <typename T>
using FourEach = Regular<T, sums::FourEach>;

}  // namespace

void sum_one_each(const Plan& plan, Workers& workers) { write_tiles<OneEach>(plan, workers); }
void sum_two_each(const Plan& plan, Workers& workers) { write_tiles<TwoEach>(plan, workers); }
void sum_four_each(const Plan& plan, Workers& workers) { write_tiles<FourEach>(plan, workers); }

}  // namespace cairn::upsample_nearest_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest_backward {
namespace one_each {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  if (!planes.w.has_boxes_of(1)) return "W is resized";
  if (planes.read.w != planes.channels) return "gradOut's lines are not dense";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_one_each)

}  // namespace one_each
namespace whole_planes {
const char* why_not(const Plan& plan);
}
namespace two_each {
namespace {

// With rows of so few cells whole_planes takes 35 to 95 % of the time (planes of 2×2×2 to 5×5×5); with the
// half types that is so for single cells alone.
bool is_for_whole_planes(const Plan& plan) {
  const std::int64_t most = size_of(plan.type) >= 4 ? 6 : 1;
  return plan.in.w <= most && whole_planes::why_not(plan) == nullptr;
}

}  // namespace

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  if (!planes.w.has_boxes_of(2)) return "W is not doubled";
  if (planes.read.w != 1) return "gradOut is strided along W";
  if (is_for_whole_planes(plan)) return "planes are small, with rows of few cells";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_two_each)

}  // namespace two_each
namespace four_each {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.grad_out, plan.grad_input);
  if (!planes.w.has_boxes_of(4)) return "W does not become four times as long";
  if (planes.read.w != 1) return "gradOut is strided along W";
  if (whole_planes::why_not(plan) == nullptr) return "planes are small";
  return nullptr;
}

CAIRN_RUN_KERNEL(sum_four_each)

}  // namespace four_each
}  // namespace cairn::upsample_nearest_backward
#endif
