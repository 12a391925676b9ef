#include "ops/max_unpool/contract.h"

#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {
namespace {

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint data_types_equal(const Call& call) { return same_type(call.out_ref, call.self); }

Complaint out_ref_contiguous(const Call& call) { return contiguous(call.out_ref); }

Complaint indices_shape(const Call& call) { return same_shape(call.indices, call.self); }

Complaint out_ref_plane(const Call& call) { return unpooled_plane(call, call.out_ref); }

Complaint out_ref_batch(const Call& call) { return unpooled_batch(call, call.out_ref); }

// clang-format off
constexpr auto kRules = table(
    kOpening<Call>,
    Rule<Call>{"data_type_supported", kInvalid, "self has a data type that the product allows.", data_type_supported},
    Rule<Call>{"data_types_equal", kInvalid, "outRef has the data type of self.", data_types_equal},
    unpooling::kIndexTypeSupported<Call>,
    kFormatsPublic<Call>,
    unpooling::kSelfRank<Call>,
    kRanksEqual<Call>,
    kGeometry<Call>,
    Rule<Call>{"out_ref_contiguous", kInvalid, "outRef is contiguous.", out_ref_contiguous},
    Rule<Call>{"indices_shape", kInvalid, "indices has the shape of self.", indices_shape},
    unpooling::kSizes<Call>,
    Rule<Call>{"out_ref_plane", kInvalid, "D, H and W of outRef are outputSize.", out_ref_plane},
    Rule<Call>{"out_ref_batch", kInvalid, "outRef has the N and, with 5 dimensions, the C of self.", out_ref_batch});
// clang-format on

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.self, addresses[0], plan.type);
  bind_view(plan.indices, addresses[1], plan.index_type);
  bind_view(plan.out, addresses[2], plan.type);
}

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .index_type = static_cast<DataType>(call.indices.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .pooled = plane_of(*call.self.desc, axes),
          .unpooled = plane_of(*call.out_ref.desc, axes),
          .self = view_of(*call.self.desc, axes),
          .indices = view_of(*call.indices.desc, axes),
          .out = view_of(*call.out_ref.desc, axes)};
}

}  // namespace

std::span<const Rule<Call>> rules() { return kRules; }

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules()); status != ACLNN_SUCCESS) return status;
  return hand_over(call, planned_call(kernel,
                                      {{&call.self, Access::kRead},
                                       {&call.indices, Access::kRead},
                                       {&call.out_ref, Access::kWrite}},
                                      make_plan(call), bind, is_empty(*call.out_ref.desc)));
}

}  // namespace cairn::max_unpool
