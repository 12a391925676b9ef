#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/max_unpool_backward/cuda/gather.cuh"
#include "ops/max_unpool_backward/cuda/methods.h"

namespace cairn::max_unpool_backward {
namespace {

// Elements of out that a thread has where they come in packs: of narrow ones a warp's stores fill a line
// then.
constexpr int kPack = 4;
constexpr std::int64_t kWidestInPacks = 2;

// One thread has a pack of out, or one element.
template <bool Dense, bool Packs>
cudaError_t start_gather(const Plan& plan, const cuda::CudaLaunch& launch) {
  GatherPlan result = gather_plan(plan, launch);
  if (Dense && plan.c == 1) result.output_strides.c = plan.grad_output.n;
  return cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      constexpr int kCount = Packs && sizeof(T) <= kWidestInPacks ? kPack : 1;
      const std::int64_t threads = cuda::divide_up(result.count, kCount);
      return cuda::start_kernel(gather<T, Index, kCount, Dense>, result, cuda::divide_up(threads, kThreads),
                                kThreads, 0, launch.stream);
    });
  });
}

}  // namespace

const char* why_not_strided(const Plan& plan) {
  if (plan.out_type != plan.type) return "out has another type";
  return cuda::is_dense(plan.out, plan.n, plan.c, plan.pooled) ? nullptr : "out has gaps";
}

const char* why_not_dense(const Plan& plan) {
  if (const char* reason = why_not_strided(plan)) return reason;
  const View5& from = plan.grad_output;
  if (plan.n * plan.c * plan.pooled.count() == 0) return "there is nothing to gather";
  if (!cuda::is_dense(plan.indices, plan.n, plan.c, plan.pooled)) return "indices do not lie as out does";
  if (!cuda::is_dense(from, plan.unpooled)) return "planes of gradOutput have gaps";
  const bool even = plan.n == 1 || plan.c == 1 || from.n == plan.c * from.c;
  return even ? nullptr : "planes of gradOutput do not lie at even distances";
}

cudaError_t run_dense(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_gather<true, false>(plan, launch);
}

const char* why_not_packs(const Plan& plan) {
  if (size_of(plan.type) > kWidestInPacks) return "elements have more than 2 bytes";
  if (const char* reason = why_not_dense(plan)) return reason;
  const auto in_packs = [](const View5& view, DataType type) {
    return cuda::in_packs(view.data, size_of(type), kPack, {});
  };
  if (plan.pooled.count() % kPack != 0) return "planes are not whole packs";
  if (!in_packs(plan.out, plan.type)) return "out does not lie in packs";
  return in_packs(plan.indices, plan.index_type) ? nullptr : "indices do not lie in packs";
}

cudaError_t run_packs(const Plan& plan, const cuda::CudaLaunch& launch) {
  return start_gather<true, true>(plan, launch);
}

cudaError_t run_strided(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return cudaSuccess;
  return start_gather<false, false>(plan, launch);
}

}  // namespace cairn::max_unpool_backward
