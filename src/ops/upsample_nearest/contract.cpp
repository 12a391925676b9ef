#include "ops/upsample_nearest/contract.h"

#include <algorithm>
#include <limits>

#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {
namespace {

const Axes& axes_of(const Call& call) { return upsampling::axes_of(call.self); }

Complaint data_type_supported(const Call& call) { return type_among(call, call.self, call.support().types); }

Complaint data_types_equal(const Call& call) { return same_type(call.out, call.self); }

Complaint formats_agree(const Call& call) { return upsampling::formats_agree(call.out, call.self); }

Complaint ranks_allowed(const Call& call) {
  return each(call.tensors(), [](const TensorArgument& tensor) { return rank_between(tensor, 5, 5); });
}

Complaint out_shape(const Call& call) { return upsampling::upsampled_shape(call, call.out, call.self); }

Complaint scales_give_sizes(const Call& call) { return upsampling::scales_give_sizes(call, call.self); }

// clang-format off
constexpr auto kRules = table(
    kOpening<Call>,
    Rule<Call>{"data_type_supported", kInvalid, "self has a data type that the product allows.", data_type_supported},
    Rule<Call>{"data_types_equal", kInvalid, "out has the data type of self.", data_types_equal},
    kFormatsPublic<Call>,
    Rule<Call>{"formats_agree", kInvalid, "Both self and out have the NDHWC flag, or neither.", formats_agree},
    Rule<Call>{"ranks_allowed", kInvalid, "self and out have 5 dimensions.", ranks_allowed},
    kGeometry<Call>,
    Rule<Call>{"output_not_overlapping", kInvalid, "No two elements of out share memory.", output_not_overlapping},
    kOutputSizeLength<Call>,
    kOutputSizePositive<Call>,
    kOnlyBatchEmpty<Call>,
    Rule<Call>{"out_shape", kInvalid, "out has the N and C of self, and D, H and W of outputSize.", out_shape},
    Rule<Call>{"scales_give_sizes", kInvalid, "Where the product asks for it, three positive scales give outputSize.", scales_give_sizes});
// clang-format on

void bind(void* plan_memory, void* const* addresses, void* /*workspace*/) {
  Plan& plan = *static_cast<Plan*>(plan_memory);
  bind_view(plan.self, addresses[0], plan.type);
  bind_view(plan.values, addresses[1], plan.type);
}

Plan make_plan(const Call& call) {
  const Axes& axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const bool given = scales_count(call);
  const auto step = [given](double scale, std::int64_t input, std::int64_t output) {
    const float ratio =
        given ? static_cast<float>(1.0 / scale) : static_cast<float>(input) / static_cast<float>(output);
    // An infinite step would make no position of the first one, 0 * inf; the largest finite leads from any
    // other to the last as well.
    return std::min(ratio, std::numeric_limits<float>::max());
  };
  return {.type = static_cast<DataType>(call.self.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = in,
          .out = out,
          .scale_d = step(call.scales[0], in.d, out.d),
          .scale_h = step(call.scales[1], in.h, out.h),
          .scale_w = step(call.scales[2], in.w, out.w),
          .self = view_of(*call.self.desc, axes),
          .values = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule<Call>> rules() { return kRules; }

Status plan_call(const Call& call, const Kernel& kernel) {
  if (const Status status = check(call, rules()); status != ACLNN_SUCCESS) return status;
  return hand_over(call, planned_call(kernel, {{&call.self, Access::kRead}, {&call.out, Access::kWrite}},
                                      make_plan(call), bind, is_empty(*call.out.desc)));
}

}  // namespace cairn::upsample_nearest
