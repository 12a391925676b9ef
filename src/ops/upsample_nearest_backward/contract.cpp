#include "ops/upsample_nearest_backward/contract.h"

#include <algorithm>

#include "ops/upsample_nearest_backward/plan.h"
#include "runtime/bridge.h"
#include "tensor/text.h"

namespace cairn::upsample_nearest_backward {
namespace {

using upsampling::Call;

__extension__ using Wide = __int128;

constexpr std::int64_t kLongestAxis = std::int64_t{1} << 20;
constexpr std::int64_t kMemory = std::int64_t{60} << 30;
constexpr std::int64_t kRows = std::int64_t{1} << 31;

bool channels_last(const Call& call) { return upsampling::channels_last(call, call.grad_out); }

Axes axes_of(const Call& call) { return upsampling::axes_of(call, call.grad_out); }

// The two orders in which inputSize may list the sizes.
Axes channels_second(const Call& call) { return upsampling::axes_of(call, false); }
Axes channels_at_end(const Call& call) { return upsampling::axes_of(call, true); }

// D, H and W have positions; N and C may be 0.
bool sizes_make_sense(const Call& call, const Axes& order) {
  const auto& sizes = call.input_size.values();
  return size_along(order.n, sizes) >= 0 && size_along(order.c, sizes) >= 0 &&
         size_along(order.d, sizes) > 0 && size_along(order.h, sizes) > 0 && size_along(order.w, sizes) > 0;
}

// Whether inputSize, read in this order, is gradInput.
bool input_size_fits(const Call& call, const Axes& order) {
  const auto& sizes = call.input_size.values();
  const auto& dims = call.grad_input.dims();
  const Axes axes = axes_of(call);
  const auto same = [&](int Axes::*axis) {
    return size_along(order.*axis, sizes) == size_along(axes.*axis, dims);
  };
  return sizes_make_sense(call, order) && same(&Axes::n) && same(&Axes::c) && same(&Axes::d) &&
         same(&Axes::h) && same(&Axes::w);
}

Complaint input_size_length(const Call& call) {
  return length_among(call.input_size, {static_cast<std::size_t>(call.spatial()) + 2});
}

Complaint input_size_positive(const Call& call) {
  if (sizes_make_sense(call, channels_second(call))) return {};
  if (channels_last(call) && sizes_make_sense(call, channels_at_end(call))) return {};
  return sentence("inputSize is ", call.input_size.values(),
                  in_words(", expected {axes} to be greater than 0, N and C not to be negative", call.op));
}

Complaint grad_input_shape(const Call& call) {
  if (input_size_fits(call, channels_second(call))) return {};
  if (channels_last(call) && input_size_fits(call, channels_at_end(call))) return {};
  return sentence("gradInput has shape ", call.grad_input.dims(), " and format ",
                  call.grad_input.desc->format, ", expected that of inputSize ", call.input_size.values());
}

Complaint grad_out_shape(const Call& call) {
  return upsampling::upsampled_shape(call, call.grad_out, call.grad_input);
}

Complaint axes_within_limit(const Call& call) {
  return each(call.tensors(), [&](const TensorArgument& tensor) -> Complaint {
    const std::int64_t longest = *std::max_element(tensor.dims().begin(), tensor.dims().end());
    if (longest <= kLongestAxis || !call.support().size_limits) return {};
    return sentence(tensor.name, " has shape ", tensor.dims(), ", expected no dimension above ", kLongestAxis,
                    " ", where(call));
  });
}

Complaint memory_within_limit(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 out = plane_of(*call.grad_out.desc, axes);
  const Size3 in = plane_of(*call.grad_input.desc, axes);
  const auto& dims = call.grad_input.dims();
  const Wide planes = Wide{size_along(axes.n, dims)} * size_along(axes.c, dims);
  const Wide cells = Wide{out.count()} + in.count() + Wide{out.d} * out.h * in.w + Wide{out.d} * in.h * in.w;
  // Without limits the product could pass what Wide holds; the rule before this one keeps it far away.
  if (!call.support().size_limits || planes * cells * 4 < kMemory) return {};
  const auto gibibytes = static_cast<std::int64_t>(planes * cells * 4 >> 30);
  return sentence("gradOut ", call.grad_out.dims(), " and gradInput ", dims, " need ", gibibytes,
                  " GiB for float buffers, expected less than 60 ", where(call));
}

Complaint rows_within_limit(const Call& call) {
  const Axes axes = axes_of(call);
  const auto& dims = call.grad_out.dims();
  const std::int64_t rows = saturating_product({size_along(axes.n, dims), size_along(axes.c, dims),
                                                size_along(axes.d, dims), size_along(axes.h, dims)});
  if (rows < kRows || !call.support().size_limits) return {};
  return sentence("gradOut has shape ", dims, " with N·C·D·H = ", rows, ", expected less than ", kRows, " ",
                  where(call));
}

Complaint plane_within_limit(const Call& call) {
  const Size3 in = plane_of(*call.grad_input.desc, axes_of(call));
  const std::int64_t positions = in.h * in.w;
  if (positions < kRows || !call.support().size_limits) return {};
  return sentence("gradInput has shape ", call.grad_input.dims(), " with H·W = ", positions,
                  ", expected less than ", kRows, " ", where(call));
}

Complaint scales_give_sizes(const Call& call) { return upsampling::scales_give_sizes(call, call.grad_input); }

// clang-format off
constexpr auto kRules = table(
    upsampling::kBeginning,
    Rule{"input_size_length", kInvalid, "inputSize has length {rank}.", of_call<input_size_length>},
    upsampling::kOutputSizePositive,
    Rule{"input_size_positive", kInvalid, "{axes} of inputSize are greater than 0; N and C are not negative.", of_call<input_size_positive>},
    Rule{"grad_input_shape", kInvalid, "gradInput has the shape inputSize gives; with {last} in either order.", of_call<grad_input_shape>},
    Rule{"grad_out_shape", kInvalid, "gradOut has the N and C of gradInput, and {axes} of outputSize.", of_call<grad_out_shape>},
    Rule{"axes_within_limit", kInvalid, "Where the product limits sizes, no dimension is above 2^20.", of_call<axes_within_limit>},
    Rule{"memory_within_limit", kInvalid, "Where the product limits sizes, N·C·(oD·oH·oW + iD·iH·iW + oD·oH·iW + oD·iH·iW)·4 is less than 60 GiB.", of_call<memory_within_limit>},
    Rule{"rows_within_limit", kInvalid, "Where the product limits sizes, N·C·oD·oH is less than 2^31.", of_call<rows_within_limit>},
    Rule{"plane_within_limit", kInvalid, "Where the product limits sizes, iH·iW is less than 2^31.", of_call<plane_within_limit>},
    Rule{"scales_give_sizes", kInvalid, "Where the product asks for it, positive scales give outputSize.", of_call<scales_give_sizes>});
// clang-format on

Plan make_plan(const Call& call) {
  const Axes axes = axes_of(call);
  const Size3 in = plane_of(*call.grad_input.desc, axes);
  const Size3 out = plane_of(*call.grad_out.desc, axes);
  const auto scale = [](double wish, std::int64_t input, std::int64_t output, bool given) {
    return given ? static_cast<float>(wish) : static_cast<float>(output) / static_cast<float>(input);
  };
  const auto [scale_d, scale_h, scale_w] = upsampling::steps_of(call, in, out, scale);
  return {.type = static_cast<DataType>(call.grad_out.desc->type),
          .n = size_along(axes.n, call.grad_input.dims()),
          .c = size_along(axes.c, call.grad_input.dims()),
          .in = in,
          .out = out,
          .scale_d = scale_d,
          .scale_h = scale_h,
          .scale_w = scale_w,
          .grad_out = view_of(*call.grad_out.desc, axes),
          .grad_input = view_of(*call.grad_input.desc, axes)};
}

void warn_of_order(const Call& call) {
  if (!call.product().strict || input_size_fits(call, channels_second(call))) return;
  cairn_runtime_bridge().warn(sentence(call.op.name, "GetWorkspaceSize: inputSize is ",
                                       call.input_size.values(),
                                       in_words(" in the order {lastshape}; ", call.op), call.product().title,
                                       in_words(" may expect {shape}", call.op)));
}

}  // namespace

std::span<const Rule> rules(int /*spatial*/) { return kRules; }

PlannedCall plan(const Call& call) {
  warn_of_order(call);
  return planned_call<Bound<&Plan::grad_out, 0, &Plan::type>, Bound<&Plan::grad_input, 1, &Plan::type>>(
      call, make_plan(call), is_empty(*call.grad_input.desc));
}

}  // namespace cairn::upsample_nearest_backward
