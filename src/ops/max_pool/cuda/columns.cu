#include <algorithm>

#include "ops/kit/cuda/max_pooling/plan.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/max_pool/cuda/columns.cuh"
#include "ops/max_pool/cuda/methods.h"

namespace cairn::max_pool {
namespace {

constexpr std::int64_t kLongestRow = 4096;  // of cells: a block keeps one at least

// Along one axis, windows that lie evenly and share more than a cell with the next.
bool share_cells(std::int64_t kernel, std::int64_t stride, std::int64_t out) {
  return out > 1 && stride > 0 && kernel > stride + 1;
}

template <typename Format, int Count>
cudaError_t start_columns(const Plan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t packs = plan.in.w / Count;
  const std::int64_t total = plan.n * plan.c * plan.out.d * plan.out.h;
  const std::int64_t rows = std::clamp<std::int64_t>(kColumnThreads / packs, 1, total);
  const std::int64_t columns = rows * plan.in.w;
  ColumnPlan result{};
  result.pool = pool_plan<int>(plan, plan.c, {1, 1, plan.out.w});
  result.total = static_cast<int>(total);
  result.rows = static_cast<int>(rows);
  result.packs = static_cast<int>(packs);
  result.by_packs = cuda::Divider<std::uint32_t>(packs);
  result.by_windows = cuda::Divider<std::uint32_t>(plan.out.w);
  result.slots = static_cast<int>(columns + columns / 32 + 1);
  const std::size_t words = 2 * static_cast<std::size_t>(result.slots) + static_cast<std::size_t>(rows);
  return cuda::start_kernel(pool_columns<Format, Count>, result, cuda::divide_up(total, rows), kColumnThreads,
                            words * sizeof(std::uint32_t), launch.stream);
}

bool rows_in_packs(const Plan& plan, int count) {
  const View5& from = plan.self;
  return plan.in.w % count == 0 &&
         cuda::in_packs(from.data, size_of(plan.type), count, {from.n, from.c, from.d, from.h});
}

}  // namespace

const char* why_not_columns(const Plan& plan) {
  if (const char* reason = why_not_dense(plan)) return reason;
  if (plan.self.w != 1) return "neighbours along W do not adjoin";
  if (plan.in.w > kLongestRow) return "rows are long";
  if (plan.kernel.d * plan.kernel.h >= 1 << 16) return "16 bits do not hold the rows of a window";
  if (has_uneven_windows(plan)) return nullptr;
  if (plan.kernel.w < 4) return "windows are narrow";
  if (share_cells(plan.kernel.d, plan.stride.d, plan.out.d) ||
      share_cells(plan.kernel.h, plan.stride.h, plan.out.h) ||
      share_cells(plan.kernel.w, plan.stride.w, plan.out.w))
    return "windows share cells";
  if (plan.padding.d + plan.padding.h + plan.padding.w > 0) return "planes are padded";
  return nullptr;
}

cudaError_t run_columns(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    using Format = cuda::Format<T>;
    constexpr int kPack = 16 / sizeof(T);
    if (rows_in_packs(plan, kPack)) return start_columns<Format, kPack>(plan, launch);
    if constexpr (Format::kLanes > 1) {
      if (rows_in_packs(plan, Format::kLanes)) return start_columns<Format, Format::kLanes>(plan, launch);
    }
    return start_columns<Format, 1>(plan, launch);
  });
}

}  // namespace cairn::max_pool
