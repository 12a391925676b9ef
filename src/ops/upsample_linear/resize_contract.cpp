#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/upsample_linear/contract.h"
#include "ops/upsample_nearest/plan.h"
#include "tensor/text.h"

// aclnnResize: factors that only give the sizes, and a mode that chooses between two families of kernels.
namespace cairn::upsample_linear {
namespace {

using upsampling::Call;

constexpr double kSlack = 1e-5;

bool is_nearest(const Call& call) { return std::string_view(call.mode()) == "nearest"; }

Complaint mode_known(const Call& call) {
  if (is_nearest(call) || std::string_view(call.mode()) == "bilinear") return {};
  constexpr std::size_t kShown = 40;
  return sentence(R"(mode is ")", std::string_view(call.mode()).substr(0, kShown),
                  R"(", expected "nearest" or "bilinear")");
}

Complaint scales_length(const Call& call) {
  if (call.factors().size() == 4) return {};
  return sentence("scales has length ", static_cast<std::int64_t>(call.factors().size()), ", expected 4");
}

Complaint only_batch_empty(const Call& call) {
  return first_of(cairn::only_batch_empty(call.self), cairn::only_batch_empty(call.out));
}

// The size of an axis follows from its factor, give or take a little.
bool gives_size(double factor, std::int64_t in, std::int64_t out) {
  const auto size = static_cast<double>(in);
  const auto wanted = static_cast<double>(out);
  return std::trunc(size * (factor - kSlack)) <= wanted && wanted <= std::trunc(size * (factor + kSlack));
}

Complaint out_shape(const Call& call) {
  const auto& in = call.self.dims();
  const auto& out = call.out.dims();
  const std::size_t first = upsampling::channels_last(call, call.self) ? 1 : 2;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const bool spatial = i == first || i == first + 1;
    if (spatial ? gives_size(call.factors()[i], in[i], out[i]) : in[i] == out[i]) continue;
    return sentence("out has shape ", out, ", expected that of self ", in, " with H and W times scales[",
                    static_cast<std::int64_t>(first), "] and scales[", static_cast<std::int64_t>(first + 1),
                    "], ", call.factors()[first], " and ", call.factors()[first + 1]);
  }
  return {};
}

Complaint scales_keep_planes(const Call& call) {
  if (!call.product().strict) return {};
  const std::size_t channels = upsampling::channels_last(call, call.self) ? 3 : 1;
  for (const std::size_t axis : {std::size_t{0}, channels}) {
    if (call.factors()[axis] == 1) continue;
    return sentence("scales[", static_cast<std::int64_t>(axis), "] is ", call.factors()[axis],
                    ", expected 1 for N and C ", where(call));
  }
  return {};
}

// clang-format off
constexpr auto kRules = table(
    kOpening,
    Rule{"mode_known", kInvalid, R"(mode is "nearest" or "bilinear".)", of_call<mode_known>},
    Rule{"data_type_supported", kInvalid, "{0} has a data type that the product allows.", of_call<upsampling::data_type_supported>},
    Rule{"data_types_equal", kInvalid, "{1} has the data type of {0}.", of_call<upsampling::data_types_equal>},
    kFormatsPublic,
    upsampling::kFormatsAgree,
    upsampling::kFormatsAllowed,
    Rule{"ranks_allowed", kInvalid, "{0} and {1} have {rank} dimensions.", of_call<upsampling::ranks_allowed>},
    kGeometry,
    Rule{"output_not_overlapping", kInvalid, "No two elements of {1} share memory.", output_not_overlapping},
    Rule{"scales_length", kInvalid, "scales has length 4.", of_call<scales_length>},
    Rule{"only_batch_empty", kInvalid, "Every dimension of {0} and {1} but N is greater than 0.", of_call<only_batch_empty>},
    Rule{"out_shape", kInvalid, "out has the N and C of {0}, and H and W times their scales, rounded down; 1e-5 more or less may be meant.", of_call<out_shape>},
    Rule{"scales_keep_planes", kInvalid, "The scales of N and C are 1; portable does not look at them.", of_call<scales_keep_planes>});
// clang-format on

upsample_nearest::Plan nearest_plan(const Call& call) {
  const Axes axes = upsampling::axes_of(call, call.self);
  const Size3 in = plane_of(*call.self.desc, axes);
  const Size3 out = plane_of(*call.out.desc, axes);
  const auto step = [](std::int64_t input, std::int64_t output) {
    return static_cast<float>(input) / static_cast<float>(output);
  };
  return {.type = static_cast<DataType>(call.self.desc->type),
          .n = size_along(axes.n, call.self.dims()),
          .c = size_along(axes.c, call.self.dims()),
          .in = in,
          .out = out,
          .scale_d = 1,
          .scale_h = step(in.h, out.h),
          .scale_w = step(in.w, out.w),
          .self = view_of(*call.self.desc, axes),
          .values = view_of(*call.out.desc, axes)};
}

}  // namespace

std::span<const Rule> resize_rules(int /*spatial*/) { return kRules; }

PlannedCall plan_resize(const Call& call, const Kernel& nearest) {
  if (!is_nearest(call)) return plan(call);
  using Nearest = upsample_nearest::Plan;
  PlannedCall planned =
      planned_call<Bound<&Nearest::self, 0, &Nearest::type>, Bound<&Nearest::values, 1, &Nearest::type>>(
          call, nearest_plan(call), is_empty(*call.out.desc));
  planned.kernel = &nearest;
  return planned;
}

}  // namespace cairn::upsample_linear
