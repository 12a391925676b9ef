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
std::function<void()> queues(Stream& stream, cairn::Family family, const Plan& plan) {
  return [&stream, family, plan] { stream.launch(family, plan); };
}

// A forward's plan and its backward's differ in their tensors, and in upsample's scales.

template <typename Plan>
Plan upsample_plan(const Workload& work, const Tensors& tensors, const cairn::Size3& of,
                   const cairn::Size3& to) {
  Plan plan{};
  plan.type = tensors.type;
  plan.n = work.n;
  plan.c = work.c;
  plan.in = work.in;
  plan.out = work.out;
  plan.scale_d = ratio(of.d, to.d);
  plan.scale_h = ratio(of.h, to.h);
  plan.scale_w = ratio(of.w, to.w);
  return plan;
}

template <typename Plan>
Plan unpool_plan(const Workload& work, const Tensors& tensors) {
  Plan plan{};
  plan.type = tensors.type;
  plan.index_type = tensors.index_type;
  plan.n = work.n;
  plan.c = work.c;
  plan.pooled = work.in;
  plan.unpooled = work.out;
  plan.indices = tensors.indices;
  return plan;
}

template <typename Plan>
Plan pool_plan(const Workload& work, const Tensors& tensors) {
  Plan plan{};
  plan.type = tensors.type;
  plan.index_type = tensors.index_type;
  plan.n = work.n;
  plan.c = work.c;
  plan.in = work.in;
  plan.out = work.out;
  plan.kernel = work.kernel;
  plan.stride = work.stride;
  plan.padding = work.padding;
  plan.indices = tensors.indices;
  return plan;
}

}  // namespace

std::function<void()> forward_call(Stream& stream, const Workload& work, const Tensors& tensors) {
  if (work.kind == 'n') {
    auto plan = upsample_plan<cairn::upsample_nearest::Plan>(work, tensors, work.in, work.out);
    plan.self = tensors.in;
    plan.values = tensors.out;
    return queues(stream, cairn::Family::upsample_nearest, plan);
  }
  if (work.kind == 'u') {
    auto plan = unpool_plan<cairn::max_unpool::Plan>(work, tensors);
    plan.self = tensors.in;
    plan.out = tensors.out;
    return queues(stream, cairn::Family::max_unpool, plan);
  }
  auto plan = pool_plan<cairn::max_pool::Plan>(work, tensors);
  plan.self = tensors.in;
  plan.values = tensors.out;
  return queues(stream, cairn::Family::max_pool, plan);
}

std::function<void()> backward_call(Stream& stream, const Workload& work, const Tensors& tensors) {
  if (work.kind == 'n') {
    auto plan = upsample_plan<cairn::upsample_nearest_backward::Plan>(work, tensors, work.out, work.in);
    plan.grad_out = tensors.out;
    plan.grad_input = tensors.in;
    return queues(stream, cairn::Family::upsample_nearest_backward, plan);
  }
  if (work.kind == 'u') {
    auto plan = unpool_plan<cairn::max_unpool_backward::Plan>(work, tensors);
    plan.grad_output = tensors.out;
    plan.out = tensors.in;
    return queues(stream, cairn::Family::max_unpool_backward, plan);
  }
  auto plan = pool_plan<cairn::max_pool_backward::Plan>(work, tensors);
  plan.channels_last = tensors.channels_last;
  plan.grad_output = tensors.out;
  plan.grad_input = tensors.in;
  return queues(stream, cairn::Family::max_pool_backward, plan);
}

}  // namespace cuda_test
