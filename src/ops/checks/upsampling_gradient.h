#pragma once

#include <array>

#include "ops/checks/upsampling.h"

// What the gradients of upsampling share: outputSize is the size of a plane of the gradient that comes in,
// inputSize the shape of the one that goes out.
namespace cairn::upsampling::gradient {

bool channels_last(const Call& call);
Axes axes_of(const Call& call);

Complaint input_size_length(const Call& call);
Complaint input_size_positive(const Call& call);
Complaint grad_input_shape(const Call& call);
Complaint grad_out_shape(const Call& call);

// Tells of an inputSize that the product may read otherwise.
void warn_of_order(const Call& call);

// clang-format off
// With what each says of the shape of the result.
constexpr auto sizes(const char* grad_input_text) {
  return std::array{
      Rule{"input_size_length", kInvalid, "inputSize has length {rank}.", of_call<input_size_length>},
      kOutputSizePositive,
      Rule{"input_size_positive", kInvalid, "{axes} of inputSize {are} greater than 0; N and C are not negative.", of_call<input_size_positive>},
      Rule{"grad_input_shape", kInvalid, grad_input_text, of_call<grad_input_shape>},
      Rule{"grad_out_shape", kInvalid, "{0} has the N and C of {1}, and {axes} of outputSize.", of_call<grad_out_shape>}};
}
inline constexpr auto kLineSizes = sizes("{1} has the shape inputSize gives.");
inline constexpr auto kSizes = sizes("{1} has the shape inputSize gives; with {last} in either order.");
// clang-format on

}  // namespace cairn::upsampling::gradient
