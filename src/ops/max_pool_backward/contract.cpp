#include "ops/max_pool_backward/contract.h"

#include <algorithm>

#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {
namespace {

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
constexpr Rule<Call> kDataTypesEqual = {"data_types_equal", kInvalid, "gradOutput and gradInput have the data type of self.", data_types_equal};
constexpr Rule<Call> kFormatsEqual = {"formats_equal", kInvalid, "gradOutput and gradInput have the format flag of self.", formats_equal};
constexpr Rule<Call> kOutputNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of gradInput share memory.", output_not_overlapping};
constexpr Rule<Call> kIndicesShape = {"indices_shape", kInvalid, "indices has the shape of gradOutput.", indices_shape};
constexpr Rule<Call> kGradInputShape = {"grad_input_shape", kInvalid, "gradInput has the shape of self.", grad_input_shape};
constexpr Rule<Call> kGradOutputShape = {"grad_output_shape", kInvalid, "gradOutput has the shape of the forward output.", grad_output_shape};

constexpr auto kRules3d = table(
    kOpening<Call>,
    pooling::kDataTypeSupported<Call>,
    pooling::kIndexTypeSupported<Call>,
    kDataTypesEqual,
    kFormatsEqual,
    kFormatsPublic<Call>,
    pooling::kChannelsLastAllowed<Call, 3>,
    pooling::kRanksAllowed<Call, 3>,
    kRanksEqual<Call>,
    kGeometry<Call>,
    kOutputNotOverlapping,
    pooling::kWindows3d<Call>,
    pooling::kPlaneWithinIndex<Call, 3>,
    kIndicesShape,
    kGradInputShape,
    pooling::kWindowsExist<Call, 3>,
    kGradOutputShape);

constexpr auto kRules2d = table(
    kOpening<Call>,
    pooling::kDataTypeSupported<Call>,
    kDataTypesEqual,
    pooling::kIndexTypeSupported<Call>,
    kFormatsEqual,
    kFormatsPublic<Call>,
    pooling::kChannelsLastAllowed<Call, 2>,
    pooling::kRanksAllowed<Call, 2>,
    kRanksEqual<Call>,
    kGeometry<Call>,
    kOutputNotOverlapping,
    pooling::kWindows2d<Call>,
    kGradInputShape,
    pooling::kSelfHasChannelsAndPlane<Call>,
    pooling::kPlaneWithinIndex<Call, 2>,
    pooling::kWindowsExist<Call, 2>,
    kGradOutputShape,
    kIndicesShape);
// clang-format on

constexpr std::int64_t kInt32Reach = 2147483647;

// The windows are only a hint to the kernel, so cutting absurd values changes no result; it keeps the
// kernel's own arithmetic in range.
Window hint(const Call& call, std::size_t axis) {
  const Window window = window_on(call, axis);
  return {.kernel = std::min(window.kernel, kInt32Reach),
          .stride = std::min(window.stride, kInt32Reach),
          .padding = std::min(window.padding, kInt32Reach),
          .dilation = std::min(window.dilation, kInt32Reach)};
}

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.grad_output, addresses[0], plan.type);
  bind_view(plan.indices, addresses[2], plan.index_type);
  bind_view(plan.grad_input, addresses[3], plan.type);
}

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const auto last = static_cast<std::size_t>(call.spatial) - 1;
  const Window d = call.spatial == 3 ? hint(call, 0) : Window{1, 1, 0, 1};
  const Window h = hint(call, last - 1);
  const Window w = hint(call, last);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
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
          .indices = view_of(*call.indices.desc, axes),
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

}  // namespace

std::span<const Rule<Call>> rules(Operator op) {
  if (op == Operator::kMaxPool3dWithArgmaxBackward) return kRules3d;
  return kRules2d;
}

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules(call.op)); status != ACLNN_SUCCESS) return status;
  // Padding can make windows over a plane without positions; their indices are still looked at for faults.
  const bool empty = is_empty(*call.grad_input.desc) && is_empty(*call.grad_output.desc);
  return hand_over(call, planned_call(kernel,
                                      {{&call.grad_output, Access::kRead},
                                       {&call.self, Access::kUnused},
                                       {&call.indices, Access::kRead},
                                       {&call.grad_input, Access::kWrite}},
                                      make_plan(call), bind, empty));
}

}  // namespace cairn::max_pool_backward
