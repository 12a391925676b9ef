#include "ops/max_pool/contract.h"

#include <algorithm>

#include "ops/checks/adaptive_window.h"
#include "ops/kit/trivial_axes.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {
namespace {

using pooling::Call;

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint formats_equal(const Call& call) { return same_format(call.out, call.self); }

Complaint out_shape(const Call& call) { return pooled_shape(call, call.out); }

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.out); }

// clang-format off
constexpr Rule kDataTypesEqual = {"data_types_equal", kInvalid, "out has the data type of self.", of_call<data_types_equal>};
constexpr Rule kFormatsEqual = {"formats_equal", kInvalid, "out has the format flag of self.", of_call<formats_equal>};
constexpr Rule kOutputNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of out share memory, and no two of indices.", output_not_overlapping};
constexpr Rule kOutShape = {"out_shape", kInvalid, "out has a position for each window.", of_call<out_shape>};
constexpr Rule kIndicesShape = {"indices_shape", kInvalid, "indices has the shape of out.", of_call<indices_shape>};

constexpr auto kVolumeRules = table(
    pooling::volumes_begin(kDataTypesEqual, kFormatsEqual, kOutputNotOverlapping),
    pooling::kPlaneWithinIndex,
    pooling::kWindowsExistWherePositions,
    kOutShape,
    kIndicesShape);

constexpr Rule kOutNotOverlapping = {"output_not_overlapping", kInvalid, "No two elements of out share memory.", output_not_overlapping};

constexpr auto kMaskRules = table(
    pooling::masks_begin(kDataTypesEqual, kFormatsEqual, kOutNotOverlapping),
    pooling::kSelfHasChannelsAndPlane,
    pooling::kPlaneWithinMask,
    pooling::kWindowsExist,
    kOutShape,
    pooling::kMaskShape);

constexpr auto kPlaneRules = table(
    pooling::planes_begin(kDataTypesEqual, kFormatsEqual, kOutputNotOverlapping),
    pooling::kSelfHasChannelsAndPlane,
    pooling::kPlaneWithinIndex,
    pooling::kWindowsExist,
    kOutShape,
    kIndicesShape);
// clang-format on

// The window along the i-th of D, H and W; an axis that the call does not have has one of a single tap.
Window planned_window(const Call& call, std::size_t i, std::int64_t size, std::int64_t windows) {
  const std::size_t absent = 3 - static_cast<std::size_t>(call.spatial());
  if (i < absent) return {1, 1, 0, 1};
  return planned_window(window_on(call, i - absent), size, windows);
}

// Where the positions go, and as what: those of a mask lie one after the other, and where windows have one
// tap there are none.
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

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const Window d = planned_window(call, 0, in.d, out.d);
  const Window h = planned_window(call, 1, in.h, out.h);
  const Window w = planned_window(call, 2, in.w, out.w);
  Plan plan{.type = static_cast<DataType>(call.self.desc->type),
            .index_type = {},
            .n = size_along(axes.n, call.self.dims()),
            .c = size_along(axes.c, call.self.dims()),
            .in = in,
            .out = out,
            .kernel = {d.kernel, h.kernel, w.kernel},
            .stride = {d.stride, h.stride, w.stride},
            .padding = {d.padding, h.padding, w.padding},
            .dilation = {d.dilation, h.dilation, w.dilation},
            .self = view_of(*call.self.desc, axes),
            .values = view_of(*call.out.desc, axes),
            .indices = {}};
  plan_indices(call, axes, plan);
  return trivial_axes_first(plan, ViewsOf<&Plan::self>(), ViewsOf<&Plan::values, &Plan::indices>());
}

Plan make_adaptive_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const Window d = adaptive_window(in.d, out.d);
  const Window h = adaptive_window(in.h, out.h);
  const Window w = adaptive_window(in.w, out.w);
  const Plan plan{.type = static_cast<DataType>(call.self.desc->type),
                  .index_type = static_cast<DataType>(call.indices.desc->type),
                  .n = size_along(axes.n, call.self.dims()),
                  .c = size_along(axes.c, call.self.dims()),
                  .in = in,
                  .out = out,
                  .kernel = {d.kernel, h.kernel, w.kernel},
                  .stride = {d.stride, h.stride, w.stride},
                  .padding = {0, 0, 0},
                  .dilation = {1, 1, 1},
                  .self = view_of(*call.self.desc, axes),
                  .values = view_of(*call.out.desc, axes),
                  .indices = view_of(*call.indices.desc, axes)};
  return trivial_axes_first(plan, ViewsOf<&Plan::self>(), ViewsOf<&Plan::values, &Plan::indices>());
}

using Self = Bound<&Plan::self, 0, &Plan::type>;
using Values = Bound<&Plan::values, 1, &Plan::type>;
using Indices = Bound<&Plan::indices, 2, &Plan::index_type>;

}  // namespace

std::span<const Rule> rules(int spatial) {
  if (spatial == 3) return kVolumeRules;
  return kPlaneRules;
}

std::span<const Rule> adaptive_rules(int spatial) {
  if (spatial == 3) return adaptive_max::kVolumeRules;
  return adaptive_max::kPlaneRules;
}

std::span<const Rule> mask_rules(int /*spatial*/) { return kMaskRules; }

PlannedCall plan(const Call& call) {
  const bool empty = is_empty(*call.out.desc);
  if (is_mask(call))
    return planned_call<Self, Values, BoundAtByte<&Plan::indices, 2>>(call, make_plan(call), empty);
  return planned_call<Self, Values, Indices>(call, make_plan(call), empty);
}

PlannedCall plan_adaptive(const adaptive_max::Call& call) {
  return planned_call<Self, Values, Indices>(call, make_adaptive_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::max_pool
