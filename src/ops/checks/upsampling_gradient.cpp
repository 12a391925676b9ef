#include "ops/checks/upsampling_gradient.h"

#include "runtime/bridge.h"
#include "tensor/text.h"

namespace cairn::upsampling::gradient {
namespace {

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
  const Axes axes = gradient::axes_of(call);
  const auto same = [&](int Axes::*axis) {
    return size_along(order.*axis, sizes) == size_along(axes.*axis, dims);
  };
  return sizes_make_sense(call, order) && same(&Axes::n) && same(&Axes::c) && same(&Axes::d) &&
         same(&Axes::h) && same(&Axes::w);
}

}  // namespace

bool channels_last(const Call& call) { return upsampling::channels_last(call, call.grad_out); }

Axes axes_of(const Call& call) { return upsampling::axes_of(call, call.grad_out); }

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
  return sentence(call.grad_input.name, " has shape ", call.grad_input.dims(), " and format ",
                  call.grad_input.desc->format, ", expected that of inputSize ", call.input_size.values());
}

Complaint grad_out_shape(const Call& call) {
  return upsampling::upsampled_shape(call, call.grad_out, call.grad_input);
}

// The order in which the product's page has inputSize with channels last: of volumes C is second even then.
void warn_of_order(const Call& call) {
  const bool volume = call.spatial() == 3;
  const Axes expected = volume ? channels_second(call) : channels_at_end(call);
  if (!channels_last(call) || input_size_fits(call, expected)) return;
  const char* const orders = volume ? " in the order {lastshape}; " : " in the order {shape}; ";
  const char* const wish = volume ? " may expect {shape}" : " may expect {lastshape}";
  cairn_runtime_bridge().warn(sentence(call.op.name, "GetWorkspaceSize: inputSize is ",
                                       call.input_size.values(), in_words(orders, call.op),
                                       call.product().title, in_words(wish, call.op)));
}

}  // namespace cairn::upsampling::gradient
