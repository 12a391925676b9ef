#include "ops/upsample_nearest/contract.h"

#include <algorithm>
#include <limits>

#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {
namespace {

using upsampling::Call;

Axes axes_of(const Call& call) { return upsampling::axes_of(call, call.self); }

Complaint only_batch_empty(const Call& call) { return cairn::only_batch_empty(call.self); }

Complaint out_shape(const Call& call) { return upsampling::upsampled_shape(call, call.out, call.self); }

Complaint scales_give_sizes(const Call& call) { return upsampling::scales_give_sizes(call, call.self); }

// clang-format off
constexpr auto kRules = table(
    upsampling::kBeginning,
    upsampling::kOutputSizePositive,
    Rule{"only_batch_empty", kInvalid, "Every dimension of self but N is greater than 0.", of_call<only_batch_empty>},
    Rule{"out_shape", kInvalid, "out has the N and C of self, and {axes} of outputSize.", of_call<out_shape>},
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, positive scales give outputSize.", of_call<scales_give_sizes>});
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const auto step = [](double scale, std::int64_t input, std::int64_t output, bool given) {
    const float ratio =
        given ? static_cast<float>(1.0 / scale) : static_cast<float>(input) / static_cast<float>(output);
    // An infinite step would make no position of the first one, 0 * inf; the largest finite leads from any
    // other to the last as well.
    return std::min(ratio, std::numeric_limits<float>::max());
  };
  const auto [scale_d, scale_h, scale_w] = upsampling::steps_of(call, in, out, step);
  return {.type = static_cast<DataType>(call.self.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = in,
          .out = out,
          .scale_d = scale_d,
          .scale_h = scale_h,
          .scale_w = scale_w,
          .self = view_of(*call.self.desc, axes),
          .values = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> rules(int /*spatial*/) { return kRules; }

PlannedCall plan(const Call& call) {
  return planned_call<Bound<&Plan::self, 0, &Plan::type>, Bound<&Plan::values, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.out.desc));
}

}  // namespace cairn::upsample_nearest
