#include "ops/upsample_nearest_backward/cuda/methods.h"
#include "ops/upsample_nearest_backward/cuda/runs.cuh"
#include "ops/upsample_nearest_backward/cuda/sum_plan.h"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr int kFactor = 4;

// A plane is one row. Scales that small leave its cells without a position.
bool has_rows_only(const Plan& plan) {
  const bool kept = plan.scale_d > plan.shift && plan.scale_h > plan.shift;
  return kept && plan.in.d == 1 && plan.out.d == 1 && plan.in.h == 1 && plan.out.h == 1 && is_narrow(plan);
}

template <typename T>
cudaError_t start_rows(const Plan& plan, std::int64_t packs, const cuda::CudaLaunch& launch) {
  const std::int64_t groups = cuda::divide_up(plan.c, kRunRows);
  const RowsPlan rows{.grad_out = plan.grad_out.data,
                      .grad_input = plan.grad_input.data,
                      .from_n = plan.grad_out.n,
                      .from_c = plan.grad_out.c,
                      .to_n = plan.grad_input.n,
                      .to_c = plan.grad_input.c,
                      .by_packs = cuda::Divider<unsigned>(packs),
                      .by_groups = cuda::Divider<unsigned>(groups),
                      .channels = static_cast<int>(plan.c),
                      .items = static_cast<int>(plan.n * groups * packs)};
  return cuda::start_kernel(sum_runs_of_rows<T, kFactor>, rows, cuda::divide_up(rows.items, kThreads),
                            kThreads, 0, launch.stream);
}

}  // namespace

const char* why_not_rows_fourfold(const Plan& plan) {
  const View5& from = plan.grad_out;
  const View5& to = plan.grad_input;
  const std::int64_t element = size_of(plan.type);
  if (is_empty(plan)) return "there are no cells";
  if (element > kPackBytes / kFactor) return "a pack does not hold a cell's positions";
  if (from.w != 1 || to.w != 1) return "neighbours along W are not neighbours in memory";
  if (!cuda::scale_axis<std::int64_t>(plan.in.w, plan.out.w, plan.scale_w, plan.shift).gathers(kFactor))
    return "a cell does not have four positions along W";
  const std::int64_t cells = kPackBytes / element / kFactor;
  const bool packs = in_packs(plan, from.data, {plan.in.w * kFactor, from.n, from.c, from.d, from.h}) &&
                     cuda::in_packs(to.data, element, cells, {to.n, to.c, to.d, to.h});
  return packs ? nullptr : "rows do not lie in packs of 16 bytes";
}

cudaError_t run_rows_fourfold(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T>) {
    const std::int64_t packs = plan.in.w * kFactor / static_cast<std::int64_t>(kPackBytes / sizeof(T));
    if (has_rows_only(plan)) return start_rows<T>(plan, packs, launch);
    return cuda::by_coordinate(is_narrow(plan), [&]<typename Coord>(cuda::Tag<Coord>) {
      return start_sums(sum_runs<T, kFactor, Coord>, sum_plan<Coord>(plan, packs, plan.c), launch);
    });
  });
}

}  // namespace cairn::upsample_nearest_backward
