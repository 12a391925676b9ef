#include <algorithm>
#include <cmath>

#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/staged.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

// How many cells a block sums, and what it needs for them.
struct StagedSize {
  const char* why_not;
  int packs;     // of a row
  int cells_h;   // of a block
  int blocks_h;  // of a plane
  int room;      // packs of shared memory
};

StagedSize staged_size(const Plan& plan) {
  constexpr int kRoom = (30 << 10) / kPackBytes;  // packs; seven blocks on a multiprocessor
  constexpr int kFewestCells = 2 * kStagedThreads;
  const auto refuse = [](const char* reason) { return StagedSize{.why_not = reason}; };
  const bool flat = plan.in.d == 1 && plan.out.d == 1;
  if (size_of(plan.type) > (flat ? 4 : 2)) return refuse("elements have more than 2 bytes, 4 where D is 1");
  if (const char* reason = why_not_small_boxes(plan)) return refuse(reason);
  if (plan.in.w > plan.out.w) return refuse("rows have fewer positions than cells");
  const View5& from = plan.grad_out;
  if (!in_packs(plan, from.data, {plan.out.w, from.n, from.c, from.d, from.h}))
    return refuse("rows of gradOut do not lie in packs of 16 bytes");
  const auto in_h = static_cast<int>(plan.in.h);
  const int packs = static_cast<int>(plan.out.w) / (kPackBytes / size_of(plan.type));
  const int packs_of_row = static_cast<int>(std::ceil(plan.scale_d)) * packs;
  // Some cells have a position more than the scale tells, some one less.
  const auto most_cells = static_cast<int>(
      std::min(static_cast<float>(in_h), static_cast<float>(kRoom / packs_of_row - 2) / plan.scale_h));
  if (most_cells < 1) return refuse("the rows of a cell do not fit into shared memory");
  const int blocks_h = (in_h + most_cells - 1) / most_cells;
  const int cells_h = (in_h + blocks_h - 1) / blocks_h;
  if (cells_h * plan.in.w < kFewestCells) return refuse("a block would have too few cells");
  const int rows = static_cast<int>(static_cast<float>(cells_h) * plan.scale_h) + 2;
  return {nullptr, packs, cells_h, blocks_h, rows * packs_of_row};
}

// How many threads have a column of cells each, next to each other: none where too many would have nothing
// to do.
int staged_width(std::int64_t cells) {
  const std::int64_t width = std::min<std::int64_t>(cells, kStagedThreads);
  const std::int64_t rounds = (cells + width - 1) / width;
  const std::int64_t busy = cells * (kStagedThreads / width);
  return busy * 5 >= rounds * kStagedThreads * 4 ? static_cast<int>(width) : 0;
}

}  // namespace

const char* why_not_staged(const Plan& plan) { return staged_size(plan).why_not; }

cudaError_t run_staged(const Plan& plan, const cuda::CudaLaunch& launch) {
  const StagedSize size = staged_size(plan);
  StagedPlan staged{};
  staged.sums = sum_plan<int>(plan, plan.in.w, plan.c);
  staged.sums.by_inner = cuda::Divider<std::uint32_t>(1);
  staged.sums.by_h = cuda::Divider<std::uint32_t>(size.blocks_h);
  staged.cells_h = size.cells_h;
  staged.packs = size.packs;
  staged.rows_follow = plan.grad_out.h == plan.out.w;
  staged.by_packs = cuda::Divider<std::uint32_t>(size.packs);
  staged.room = size.room;
  staged.width = staged_width(plan.in.w);
  const std::int64_t blocks = plan.n * plan.c * plan.in.d * size.blocks_h;
  const std::size_t bytes = staged.room * sizeof(uint4) + (plan.in.w + size.cells_h) * sizeof(Span);
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::start_kernel(staged.sums.w.has_few(2) ? sum_staged_boxes<T, 2> : sum_staged_boxes<T, kSmall>,
                              staged, blocks, kStagedThreads, bytes, launch.stream);
  });
}

}  // namespace cairn::upsample_nearest_backward
