#pragma once

#include "ops/checks/axes.h"
#include "ops/checks/rules.h"
#include "ops/checks/window.h"

// What the contracts of max pooling share, forward and backward, 2D and 3D.
namespace cairn::pooling {

struct Arguments {
  const aclTensor* self;
  const aclTensor* indices;
  const aclIntArray* kernel_size;
  const aclIntArray* stride;
  const aclIntArray* padding;
  const aclIntArray* dilation;
  bool ceil_mode;
};

struct BaseCall : CallBase {
  BaseCall(Operator which, int spatial_axes, const Arguments& given,
           std::uint64_t* workspace_size_destination, aclOpExecutor** executor_destination)
      : CallBase(which, workspace_size_destination, executor_destination),
        spatial(spatial_axes),
        self("self", given.self),
        indices("indices", given.indices),
        kernel_size("kernelSize", given.kernel_size),
        stride("stride", given.stride),
        padding("padding", given.padding),
        dilation("dilation", given.dilation),
        ceil_mode(given.ceil_mode) {}

  int spatial;  // 3 or 2
  TensorArgument self;
  TensorArgument indices;
  ArrayArgument kernel_size;
  ArrayArgument stride;
  ArrayArgument padding;
  ArrayArgument dilation;
  bool ceil_mode;
};

bool channels_last(const BaseCall& call);
Axes axes_of(const BaseCall& call);

// The window along a spatial axis, 0 being the first of them.
Window window_on(const BaseCall& call, std::size_t axis);

Complaint data_type_supported(const BaseCall& call);
Complaint index_type_supported(const BaseCall& call);
Complaint channels_last_allowed(const BaseCall& call);
Complaint image_rank(const BaseCall& call, const TensorArgument& tensor);
Complaint kernel_size_length(const BaseCall& call);
Complaint kernel_size_positive(const BaseCall& call);
Complaint stride_length(const BaseCall& call);
Complaint stride_positive(const BaseCall& call);
Complaint padding_length(const BaseCall& call);
Complaint padding_within_half(const BaseCall& call);
Complaint dilation_length(const BaseCall& call);
Complaint dilation_positive(const BaseCall& call);
Complaint dilation_allowed(const BaseCall& call);
Complaint plane_within_index(const BaseCall& call);
Complaint self_has_channels_and_plane(const BaseCall& call);
Complaint windows_exist(const BaseCall& call);
// `pooled` has the shape of the forward's output.
Complaint pooled_shape(const BaseCall& call, const TensorArgument& pooled);

// The rules over these, for a Call that derives from BaseCall. The texts of some say how many axes there are.

template <typename Call>
inline constexpr Rule<Call> kDataTypeSupported = {"data_type_supported", kInvalid,
                                                  "self has a data type that the product allows.",
                                                  shared<data_type_supported>};

template <typename Call>
inline constexpr Rule<Call> kIndexTypeSupported = {"index_type_supported", kInvalid,
                                                   "indices has a data type that the product allows.",
                                                   shared<index_type_supported>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kChannelsLastAllowed = {
    "channels_last_allowed", kInvalid,
    kSpatial == 3 ? "The NDHWC flag is used only where the product allows it."
                  : "The NHWC flag is used only where the product allows it.",
    shared<channels_last_allowed>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kRanksAllowed = {
    "ranks_allowed", kInvalid,
    kSpatial == 3 ? "Every tensor has 4 or 5 dimensions." : "Every tensor has 3 or 4 dimensions.",
    [](const Call& call) {
      return each(call.tensors(), [&](const TensorArgument& tensor) { return image_rank(call, tensor); });
    }};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kKernelSizeLength = {
    "kernel_size_length", kInvalid,
    kSpatial == 3 ? "kernelSize has length 1 or 3." : "kernelSize has length 1 or 2.",
    shared<kernel_size_length>};

template <typename Call>
inline constexpr Rule<Call> kKernelSizePositive = {"kernel_size_positive", kInvalid,
                                                   "Every value of kernelSize is greater than 0.",
                                                   shared<kernel_size_positive>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kStrideLength = {
    "stride_length", kInvalid,
    kSpatial == 3 ? "stride has length 0, 1 or 3; 0 means stride = kernelSize."
                  : "stride has length 0, 1 or 2; 0 means stride = kernelSize.",
    shared<stride_length>};

template <typename Call>
inline constexpr Rule<Call> kStridePositive = {
    "stride_positive", kInvalid, "Every value of stride is greater than 0.", shared<stride_positive>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kPaddingLength = {
    "padding_length", kInvalid, kSpatial == 3 ? "padding has length 1 or 3." : "padding has length 1 or 2.",
    shared<padding_length>};

template <typename Call>
inline constexpr Rule<Call> kPaddingWithinHalf = {
    "padding_within_half", kInvalid, "0 ≤ padding ≤ kernelSize / 2, rounded down, on every axis.",
    shared<padding_within_half>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kDilationLength = {
    "dilation_length", kInvalid,
    kSpatial == 3 ? "dilation has length 1 or 3." : "dilation has length 1 or 2.", shared<dilation_length>};

template <typename Call>
inline constexpr Rule<Call> kDilationPositive = {
    "dilation_positive", kInvalid, "Every value of dilation is greater than 0.", shared<dilation_positive>};

template <typename Call>
inline constexpr Rule<Call> kDilationAllowed = {
    "dilation_allowed", kInvalid, "dilation is 1 unless the product allows more.", shared<dilation_allowed>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kPlaneWithinIndex = {
    "plane_within_index", kInvalid,
    kSpatial == 3 ? "D·H·W of self is at most 2147483647 when indices is INT32."
                  : "H·W of self is at most 2147483647 when indices is INT32.",
    shared<plane_within_index>};

template <typename Call>
inline constexpr Rule<Call> kSelfHasChannelsAndPlane = {"self_has_channels_and_plane", kInvalid,
                                                        "C, H and W of self are greater than 0; N may be 0.",
                                                        shared<self_has_channels_and_plane>};

template <typename Call, int kSpatial>
inline constexpr Rule<Call> kWindowsExist = {
    "windows_exist", kInvalid,
    kSpatial == 3 ? "At least one window fits on every axis on which self has positions."
                  : "At least one window fits on every axis.",
    shared<windows_exist>};

// The rules of the four lists, which 3D takes one by one and 2D by lengths first.

template <typename Call>
inline constexpr std::array kWindows3d = {
    kKernelSizeLength<Call, 3>, kKernelSizePositive<Call>, kStrideLength<Call, 3>,
    kStridePositive<Call>,      kPaddingLength<Call, 3>,   kPaddingWithinHalf<Call>,
    kDilationLength<Call, 3>,   kDilationPositive<Call>,   kDilationAllowed<Call>};

template <typename Call>
inline constexpr std::array kWindows2d = {
    kKernelSizeLength<Call, 2>, kStrideLength<Call, 2>,    kPaddingLength<Call, 2>,
    kDilationLength<Call, 2>,   kKernelSizePositive<Call>, kStridePositive<Call>,
    kPaddingWithinHalf<Call>,   kDilationPositive<Call>,   kDilationAllowed<Call>};

}  // namespace cairn::pooling
