#include "ops/max_pool_backward/contract.h"

#include <algorithm>

#include "ops/checks/adaptive_window.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {
namespace {

using pooling::Call;

Complaint data_types_equal(const Call& call) {
  return first_of(same_type(call.grad_output, call.self), same_type(call.grad_input, call.self));
}

Complaint formats_equal(const Call& call) {
  return first_of(same_format(call.grad_output, call.self), same_format(call.grad_input, call.self));
}

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.grad_output); }

Complaint grad_input_shape(const Call& call) { return same_shape(call.grad_input, call.self); }

Complaint grad_output_shape(const Call& call) { return pooled_shape(call, call.grad_output); }

// clang-format off
constexpr Rule kDataTypesEqual = {"data_types_equal", kInvalid, "gradOutput and gradInput have the data type of self.", of_call<data_types_equal>};
constexpr Rule kFormatsEqual = {"formats_equal", kInvalid, "gradOutput and gradInput have the format flag of self.", of_call<formats_equal>};
constexpr Rule kOutputNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of gradInput share memory.", output_not_overlapping};
constexpr Rule kIndicesShape = {"indices_shape", kInvalid, "indices has the shape of gradOutput.", of_call<indices_shape>};
constexpr Rule kGradInputShape = {"grad_input_shape", kInvalid, "gradInput has the shape of self.", of_call<grad_input_shape>};
constexpr Rule kGradOutputShape = {"grad_output_shape", kInvalid, "gradOutput has the shape of the forward output.", of_call<grad_output_shape>};

constexpr auto kVolumeRules = table(
    pooling::volumes_begin(kDataTypesEqual, kFormatsEqual, kOutputNotOverlapping),
    pooling::kPlaneWithinIndex,
    kIndicesShape,
    kGradInputShape,
    pooling::kWindowsExistWherePositions,
    kGradOutputShape);

constexpr auto kMaskRules = table(
    pooling::masks_begin(kDataTypesEqual, kFormatsEqual, kOutputNotOverlapping),
    kGradInputShape,
    pooling::kSelfHasChannelsAndPlane,
    pooling::kPlaneWithinMask,
    pooling::kWindowsExist,
    kGradOutputShape,
    pooling::kMaskShape);

constexpr auto kPlaneRules = table(
    pooling::planes_begin(kDataTypesEqual, kFormatsEqual, kOutputNotOverlapping),
    kGradInputShape,
    pooling::kSelfHasChannelsAndPlane,
    pooling::kPlaneWithinIndex,
    pooling::kWindowsExist,
    kGradOutputShape,
    kIndicesShape);
// clang-format on

constexpr std::int64_t kInt32Reach = 2147483647;

// The windows are only a hint to the kernel, so cutting absurd values changes no result; it keeps the
// kernel's own arithmetic in range.
Window hint(const Window& window) {
  return {.kernel = std::min(window.kernel, kInt32Reach),
          .stride = std::min(window.stride, kInt32Reach),
          .padding = std::min(window.padding, kInt32Reach),
          .dilation = std::min(window.dilation, kInt32Reach)};
}

// An axis that the call does not have has windows of a single tap.
Window hint(const Call& call, std::size_t i) {
  const std::size_t absent = 3 - static_cast<std::size_t>(call.spatial());
  if (i < absent) return {1, 1, 0, 1};
  return hint(window_on(call, i - absent));
}

// Where the positions come from, and as what: those of a mask lie one after the other, and where windows have
// one tap none are read.
void plan_indices(const Call& call, const Axes& axes, Plan& plan) {
  if (!is_mask(call)) {
    plan.index_type = static_cast<DataType>(call.indices.desc->type);
    plan.indices = view_of(*call.indices.desc, axes);
    return;
  }
  plan.index_type = has_single_taps(call) ? DataType::kInt8 : DataType::kInt32;
  plan.indices = counted_strides(dense_view(plan.c, plan.out), plan.n, plan.c, plan.out);
  plan.indices.offset = call.indices.desc->offset;
}

// All but where the positions are; `d`, `h` and `w` are the windows.
Plan plan_with(const Call& call, const Window& d, const Window& h, const Window& w) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = {},
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = plane_of(*call.self.desc, axes),
          .out = plane_of(*call.grad_output.desc, axes),
          .kernel = {d.kernel, h.kernel, w.kernel},
          .stride = {d.stride, h.stride, w.stride},
          .padding = {d.padding, h.padding, w.padding},
          .dilation = {d.dilation, h.dilation, w.dilation},
          .channels_last = channels_last(call),
          .grad_output = view_of(*call.grad_output.desc, axes),
          .indices = {},
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

Plan with_trivial_axes_first(const Plan& plan) {
  return trivial_axes_first(plan, ViewsOf<&Plan::grad_input>(),
                            ViewsOf<&Plan::grad_output, &Plan::indices>());
}

Plan make_plan(const Call& call) {
  Plan plan = plan_with(call, hint(call, 0), hint(call, 1), hint(call, 2));
  plan_indices(call, axes_of(call), plan);
  return with_trivial_axes_first(plan);
}

Plan make_adaptive_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.grad_output.desc, axes);
  Plan plan = plan_with(call, hint(covering_window(in.d, out.d)), hint(covering_window(in.h, out.h)),
                        hint(covering_window(in.w, out.w)));
  plan_indices(call, axes, plan);
  return with_trivial_axes_first(plan);
}

using GradOutput = Bound<&Plan::grad_output, 0, &Plan::type>;
using Indices = Bound<&Plan::indices, 2, &Plan::index_type>;
using GradInput = Bound<&Plan::grad_input, 3, &Plan::type>;

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 3) return kVolumeRules;
  return kPlaneRules;
}

std::span<const Rule> mask_rules(int /*spatial*/) { return kMaskRules; }

std::span<const Rule> adaptive_rules(int spatial) {
  if (spatial == 3) return adaptive_max::kVolumeGradientRules;
  return adaptive_max::kPlaneGradientRules;
}

PlannedCall plan(const Call& call) {
  // Padding can make windows over a plane without positions; their indices are still looked at for faults.
  const bool empty = is_empty(*call.grad_input.desc) && is_empty(*call.grad_output.desc);
  if (is_mask(call))
    return planned_call<GradOutput, BoundAtByte<&Plan::indices, 2>, GradInput>(call, make_plan(call), empty);
  return planned_call<GradOutput, Indices, GradInput>(call, make_plan(call), empty);
}

PlannedCall plan_adaptive(const adaptive_max::Call& call) {
  const bool empty = is_empty(*call.grad_input.desc) && is_empty(*call.grad_output.desc);
  return planned_call<GradOutput, Indices, GradInput>(call, make_adaptive_plan(call), empty);
}

}  // namespace cairn::max_pool_backward
