#include "ops/upsample_nearest/cuda/methods.h"
#include "ops/upsample_nearest/cuda/row_plan.h"
#include "ops/upsample_nearest/cuda/rows.cuh"

namespace cairn::upsample_nearest {
namespace {

constexpr int kFour = 4;
using SmallWords = cuda::Types<std::uint8_t, std::uint16_t, std::uint32_t>;

template <typename T, int Factor>
cudaError_t start(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (has_rows_only(plan))
    return start_copies(widen_rows<T, Factor, kManySteps, Along::kSame>, row_plan(plan, kManySteps), plan.n,
                        launch);
  constexpr int kStepCount = kRowSteps<T, Factor>;
  return start_copies(widen_rows<T, Factor, kStepCount, Along::kResized>, row_plan(plan, kStepCount), plan.n,
                      launch);
}

template <int Factor>
cudaError_t run(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::by_element_size(plan.type,
                               [&]<typename T>(cuda::Tag<T>) { return start<T, Factor>(plan, launch); });
}

// Why a thread cannot read the sources of a pack of values in one piece, each having `factor` positions.
const char* why_not_repeated(const Plan& plan, int factor, int steps) {
  if (const char* reason = why_not_rows_of_packs(plan, steps)) return reason;
  if (!cuda::scale_axis<int>(plan.in.w, plan.out.w, plan.scale_w, plan.shift).repeats(factor))
    return factor == 1 ? "W is resized" : "a source does not have four positions along W";
  const View5& from = plan.self;
  const int element = size_of(plan.type);
  const bool packs =
      cuda::in_packs(from.data, element, kPackBytes / element / factor, {from.n, from.c, from.d, from.h});
  return packs ? nullptr : "rows of self do not lie in packs";
}

}  // namespace

const char* why_not_rows_same(const Plan& plan) { return why_not_repeated(plan, 1, kSteps); }
cudaError_t run_rows_same(const Plan& plan, const cuda::CudaLaunch& launch) { return run<1>(plan, launch); }

const char* why_not_rows_fourfold(const Plan& plan) {
  if (size_of(plan.type) > kPackBytes / kFour) return "a pack does not hold a source's positions";
  return why_not_repeated(plan, kFour, kSteps);
}
cudaError_t run_rows_fourfold(const Plan& plan, const cuda::CudaLaunch& launch) {
  return cuda::first_type(
      SmallWords{}, [size = size_of(plan.type)]<typename T>(cuda::Tag<T>) { return sizeof(T) == size; },
      [&]<typename T>(cuda::Tag<T>) { return start<T, kFour>(plan, launch); });
}

const char* why_not_rows(const Plan& plan) { return why_not_rows_of_packs(plan, row_steps(plan)); }
cudaError_t run_rows(const Plan& plan, const cuda::CudaLaunch& launch) { return run<0>(plan, launch); }

}  // namespace cairn::upsample_nearest
