#pragma once

#include <array>

#include "ops/checks/axes.h"
#include "ops/checks/rules.h"

// What the contracts of upsampling share, forward and backward.
namespace cairn::upsampling {

struct BaseCall : CallBase {
  BaseCall(Operator which, const aclIntArray* output_size_handle, const std::array<double, 3>& given_scales,
           std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : CallBase(which, workspace_size_destination, executor_destination),
        output_size("outputSize", output_size_handle),
        scales(given_scales) {}

  ArrayArgument output_size;
  std::array<double, 3> scales;  // D, H, W
};

// Where a tensor, or a list of its sizes, keeps N, C, D, H and W.
inline constexpr Axes kChannelsSecond = image_axes(5, 3, false);
inline constexpr Axes kChannelsLast = image_axes(5, 3, true);
bool channels_last(const TensorArgument& tensor);
const Axes& axes_of(const TensorArgument& tensor);

// All three scales or none: one that is not positive, or not finite as a float, makes the sizes decide on
// every axis.
bool scales_count(const BaseCall& call);

Complaint formats_agree(const TensorArgument& tensor, const TensorArgument& model);
// `small` is the tensor that is upsampled, or its gradient; `large` the upsampled one.
Complaint upsampled_shape(const BaseCall& call, const TensorArgument& large, const TensorArgument& small);
Complaint scales_give_sizes(const BaseCall& call, const TensorArgument& small);

}  // namespace cairn::upsampling
