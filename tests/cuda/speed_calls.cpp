#include "cuda/speed_calls.h"

#include "ops/max_pool/plan.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/max_unpool/plan.h"
#include "ops/max_unpool_backward/plan.h"
#include "ops/upsample_nearest/plan.h"
#include "ops/upsample_nearest_backward/plan.h"

namespace cuda_test {
namespace {

float ratio(std::int64_t of, std::int64_t to) { return static_cast<float>(of) / static_cast<float>(to); }

template <typename Plan>
std::function<void()> queues(Stream& stream, const char* name, const Plan& plan) {
  return [&stream, name, plan] { stream.launch(name, plan); };
}

}  // namespace

std::function<void()> forward_call(Stream& stream, const Workload& work, const Tensors& tensors) {
  if (work.kind == 'n') {
    const cairn::upsample_nearest::Plan plan{.type = tensors.type,
                                             .n = work.n,
                                             .c = work.c,
                                             .in = work.in,
                                             .out = work.out,
                                             .scale_d = ratio(work.in.d, work.out.d),
                                             .scale_h = ratio(work.in.h, work.out.h),
                                             .scale_w = ratio(work.in.w, work.out.w),
                                             .self = tensors.in,
                                             .values = tensors.out};
    return queues(stream, "aclnnUpsampleNearest3d", plan);
  }
  if (work.kind == 'u') {
    const cairn::max_unpool::Plan plan{.type = tensors.type,
                                       .index_type = tensors.index_type,
                                       .n = work.n,
                                       .c = work.c,
                                       .pooled = work.in,
                                       .unpooled = work.out,
                                       .self = tensors.in,
                                       .indices = tensors.indices,
                                       .out = tensors.out};
    return queues(stream, "aclnnMaxUnpool3d", plan);
  }
  const cairn::max_pool::Plan plan{.type = tensors.type,
                                   .index_type = tensors.index_type,
                                   .n = work.n,
                                   .c = work.c,
                                   .in = work.in,
                                   .out = work.out,
                                   .kernel = work.kernel,
                                   .stride = work.stride,
                                   .padding = work.padding,
                                   .dilation = {1, 1, 1},
                                   .self = tensors.in,
                                   .values = tensors.out,
                                   .indices = tensors.indices};
  return queues(stream, "aclnnMaxPool3dWithArgmax", plan);
}

std::function<void()> backward_call(Stream& stream, const Workload& work, const Tensors& tensors) {
  if (work.kind == 'n') {
    const cairn::upsample_nearest_backward::Plan plan{.type = tensors.type,
                                                      .n = work.n,
                                                      .c = work.c,
                                                      .in = work.in,
                                                      .out = work.out,
                                                      .scale_d = ratio(work.out.d, work.in.d),
                                                      .scale_h = ratio(work.out.h, work.in.h),
                                                      .scale_w = ratio(work.out.w, work.in.w),
                                                      .grad_out = tensors.out,
                                                      .grad_input = tensors.in};
    return queues(stream, "aclnnUpsampleNearest3dBackward", plan);
  }
  if (work.kind == 'u') {
    const cairn::max_unpool_backward::Plan plan{.type = tensors.type,
                                                .index_type = tensors.index_type,
                                                .n = work.n,
                                                .c = work.c,
                                                .pooled = work.in,
                                                .unpooled = work.out,
                                                .grad_output = tensors.out,
                                                .indices = tensors.indices,
                                                .out = tensors.in};
    return queues(stream, "aclnnMaxUnpool3dBackward", plan);
  }
  const cairn::max_pool_backward::Plan plan{.type = tensors.type,
                                            .index_type = tensors.index_type,
                                            .n = work.n,
                                            .c = work.c,
                                            .in = work.in,
                                            .out = work.out,
                                            .kernel = work.kernel,
                                            .stride = work.stride,
                                            .padding = work.padding,
                                            .dilation = {1, 1, 1},
                                            .channels_last = tensors.channels_last,
                                            .grad_output = tensors.out,
                                            .indices = tensors.indices,
                                            .grad_input = tensors.in};
  return queues(stream, "aclnnMaxPool3dWithArgmaxBackward", plan);
}

}  // namespace cuda_test
