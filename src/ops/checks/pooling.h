#pragma once

#include "ops/axes.h"
#include "ops/checks/rules.h"
#include "ops/checks/window.h"

// What the contracts of pooling share, forward and backward, over 1, 2 or 3 spatial axes.
namespace cairn::pooling {

// The backward has one tensor more, the gradient, in front of self, whose data it does not read.
struct Call : CallBase {
  using CallBase::CallBase;

  bool is_backward() const { return op.arguments[1].kind == Kind::kShape; }

  const TensorArgument& self = tensor(is_backward() ? 1 : 0);
  const TensorArgument& indices = tensor(2);      // of max pooling
  const TensorArgument& out = tensor(1);          // of the forward
  const TensorArgument& grad_output = tensor(0);  // of the backward, as is the next
  const TensorArgument& grad_input = tensor(tensor_count() - 1);
  const ArrayArgument& kernel_size = array(0);
  const ArrayArgument& stride = array(1);
  const ArrayArgument& padding = array(2);
  const ArrayArgument& dilation = array(3);  // of max pooling
  const bool ceil_mode = integer(0) != 0;
};

// What the descriptors share.
inline constexpr TypeSet kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
inline constexpr TypeSet kPortableTypes = kTypes | TypeSet{DataType::kDouble};
// All that any product allows, and what the portable one does.
inline constexpr Support kAll = {.types = kTypes,
                                 .index_types = {DataType::kInt32, DataType::kInt64},
                                 .dilated_windows = true,
                                 .channels_last = true};
inline constexpr Support kAllInPortable = {
    .types = kPortableTypes, .index_types = kAll.index_types, .dilated_windows = true, .channels_last = true};
// The mask's pair in what most products say of it.
inline constexpr SupportOn kMaskInPortable = {
    {ProductId::kPortable},
    {.types = kPortableTypes, .index_types = {DataType::kInt8}, .dilated_windows = true}};
inline constexpr SupportOn kMaskOnA2A3 = {{ProductId::kAtlasA2, ProductId::kAtlasA3},
                                          {.types = kTypes, .index_types = {DataType::kInt8}}};
inline constexpr SupportOn kMaskOnTraining = {
    {ProductId::kAtlasTraining},
    {.types = {DataType::kFloat, DataType::kFloat16}, .index_types = {DataType::kInt8}}};
inline constexpr std::array kWindowArguments = {
    ArgumentInfo{"kernelSize", Kind::kIntArray, "window: one value, or {list}"},
    ArgumentInfo{"stride", Kind::kIntArray,
                 "step of the window: one value, or {list}; empty means kernelSize"},
    ArgumentInfo{"padding", Kind::kIntArray, "padding on both sides: one value, or {list}"},
    ArgumentInfo{"dilation", Kind::kIntArray, "distance of the taps of a window: one value, or {list}"},
};

// A mask is a buffer of bytes that starts with the positions as INT32, one after the other. Where windows
// have one tap each there is nothing to find, and it has the bits of CANN's older masks, all set, instead: of
// every 16 channels a block, whose last 32 bytes, like all else, stay as they are.
inline bool is_mask(const Call& call) { return call.indices.desc->type == ACL_INT8; }
bool has_single_taps(const Call& call);

bool channels_last(const Call& call);
Axes axes_of(const Call& call);

// The window along a spatial axis, 0 being the first of them.
Window window_on(const Call& call, std::size_t axis);

Complaint data_type_supported(const Call& call);
Complaint index_type_supported(const Call& call);
Complaint channels_last_allowed(const Call& call);
Complaint ranks_allowed(const Call& call);
Complaint ranks_equal(const Call& call);
Complaint kernel_size_length(const Call& call);
Complaint kernel_size_positive(const Call& call);
Complaint stride_length(const Call& call);
Complaint stride_positive(const Call& call);
Complaint padding_length(const Call& call);
Complaint padding_within_half(const Call& call);
Complaint dilation_length(const Call& call);
Complaint dilation_positive(const Call& call);
Complaint dilation_allowed(const Call& call);
Complaint plane_within_index(const Call& call);
Complaint self_has_channels_and_plane(const Call& call);
Complaint self_has_plane(const Call& call);
Complaint windows_exist(const Call& call);
Complaint formats_in_order(const Call& call);
Complaint mask_contiguous(const Call& call);
Complaint plane_within_mask(const Call& call);
// `pooled` has the shape of the forward's output.
Complaint pooled_shape(const Call& call, const TensorArgument& pooled);
// indices, a mask, has the shape that belongs to that output.
Complaint mask_shape(const Call& call);

// The rules over these.

// clang-format off
inline constexpr Rule kDataTypeSupported = {"data_type_supported", kInvalid, "self has a data type that the product allows.", of_call<data_type_supported>};
inline constexpr Rule kIndexTypeSupported = {"index_type_supported", kInvalid, "{2} has a data type that the product allows.", of_call<index_type_supported>};
inline constexpr Rule kChannelsLastAllowed = {"channels_last_allowed", kInvalid, "The {last} flag is used only where the product allows it.", of_call<channels_last_allowed>};
inline constexpr Rule kRanksAllowed = {"ranks_allowed", kInvalid, "Every tensor has {lowrank} or {rank} dimensions.", of_call<ranks_allowed>};
inline constexpr Rule kRanksEqual = {"ranks_equal", kInvalid, "All tensors have as many dimensions as self.", of_call<ranks_equal>};
inline constexpr Rule kKernelSizeLength = {"kernel_size_length", kInvalid, "kernelSize has length 1 or {n}.", of_call<kernel_size_length>};
inline constexpr Rule kKernelSizePositive = {"kernel_size_positive", kInvalid, "Every value of kernelSize is greater than 0.", of_call<kernel_size_positive>};
inline constexpr Rule kStrideLength = {"stride_length", kInvalid, "{array1} has length 0, 1 or {n}; 0 means {array1} = kernelSize.", of_call<stride_length>};
inline constexpr Rule kStridePositive = {"stride_positive", kInvalid, "Every value of {array1} is greater than 0.", of_call<stride_positive>};
inline constexpr Rule kPaddingLength = {"padding_length", kInvalid, "{array2} has length 1 or {n}.", of_call<padding_length>};
inline constexpr Rule kPaddingWithinHalf = {"padding_within_half", kInvalid, "0 ≤ {array2} ≤ kernelSize / 2, rounded down, on every axis.", of_call<padding_within_half>};
inline constexpr Rule kDilationLength = {"dilation_length", kInvalid, "dilation has length 1 or {n}.", of_call<dilation_length>};
inline constexpr Rule kDilationPositive = {"dilation_positive", kInvalid, "Every value of dilation is greater than 0.", of_call<dilation_positive>};
inline constexpr Rule kDilationAllowed = {"dilation_allowed", kInvalid, "dilation is 1 unless the product allows more.", of_call<dilation_allowed>};
inline constexpr Rule kFormatsInOrder = {"formats_in_order", kInvalid, "The flag is not NHWC and, unless the product is portable, ND or NCHW, or NCL with 3 dimensions.", of_call<formats_in_order>};
inline constexpr Rule kMaskContiguous = {"mask_contiguous", kInvalid, "indices is contiguous; it may have an offset.", of_call<mask_contiguous>};
inline constexpr Rule kPlaneWithinMask = {"plane_within_mask", kInvalid, "{plane} of self is at most 2147483647.", of_call<plane_within_mask>};
inline constexpr Rule kMaskShape = {"mask_shape", kInvalid, "indices has the shape (N, C, kH·kW, (⌈oH·oW / 16⌉ + 1)·32), without N where self has none.", of_call<mask_shape>};
inline constexpr Rule kPlaneWithinIndex = {"plane_within_index", kInvalid, "{plane} of self is at most 2147483647 when {2} is INT32.", of_call<plane_within_index>};
inline constexpr Rule kSelfHasChannelsAndPlane = {"self_has_channels_and_plane", kInvalid, "C, {axes} of self are greater than 0; N may be 0.", of_call<self_has_channels_and_plane>};
inline constexpr Rule kSelfHasPlane = {"self_has_plane", kInvalid, "{axes} of self {are} greater than 0; N and C may be 0.", of_call<self_has_plane>};
// Volumes may have axes without positions; then no window is asked for along them.
inline constexpr Rule kWindowsExistWherePositions = {"windows_exist", kInvalid, "At least one window fits on every axis on which self has positions.", of_call<windows_exist>};
inline constexpr Rule kWindowsExist = {"windows_exist", kInvalid, "At least one window fits on every axis.", of_call<windows_exist>};
// clang-format on

// What the tensors must be to be looked at together.
inline constexpr auto kViews =
    table(kFormatsPublic, kChannelsLastAllowed, kRanksAllowed, kRanksEqual, kGeometry);

// The rules of the four lists: volumes have each list's together, images the lengths first.

inline constexpr std::array kWindowsByList = {kKernelSizeLength, kKernelSizePositive, kStrideLength,
                                              kStridePositive,   kPaddingLength,      kPaddingWithinHalf,
                                              kDilationLength,   kDilationPositive,   kDilationAllowed};

inline constexpr std::array kWindowsByLengths = {kKernelSizeLength,  kStrideLength,       kPaddingLength,
                                                 kDilationLength,    kKernelSizePositive, kStridePositive,
                                                 kPaddingWithinHalf, kDilationPositive,   kDilationAllowed};

// How the tables of volumes and of images begin, with the rules that name what the direction has.

constexpr auto volumes_begin(const Rule& types_equal, const Rule& formats_equal,
                             const Rule& not_overlapping) {
  return table(kOpening, kDataTypeSupported, kIndexTypeSupported, types_equal, formats_equal, kViews,
               not_overlapping, kWindowsByList);
}

constexpr auto planes_begin(const Rule& types_equal, const Rule& formats_equal, const Rule& not_overlapping) {
  return table(kOpening, kDataTypeSupported, types_equal, kIndexTypeSupported, formats_equal, kViews,
               not_overlapping, kWindowsByLengths);
}

// Images whose positions go into a mask.
constexpr auto masks_begin(const Rule& types_equal, const Rule& formats_equal, const Rule& not_overlapping) {
  return table(kOpening, kDataTypeSupported, kIndexTypeSupported, types_equal, formats_equal, kFormatsPublic,
               kFormatsInOrder, kRanksAllowed, kRanksEqual, kGeometry, kMaskContiguous, not_overlapping,
               kWindowsByLengths);
}

}  // namespace cairn::pooling
