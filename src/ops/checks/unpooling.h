#pragma once

#include "ops/axes.h"
#include "ops/checks/rules.h"

// What the contracts of max unpooling share, forward and backward, over 2 or 3 spatial axes.
namespace cairn::unpooling {

// The backward has one tensor more, the gradient, in front of self.
struct Call : CallBase {
  using CallBase::CallBase;

  const TensorArgument& self = tensor(tensor_count() - 3);
  const TensorArgument& indices = tensor(tensor_count() - 2);
  const TensorArgument& out = tensor(tensor_count() - 1);
  const TensorArgument& grad_output = tensor(0);  // of the backward
  const ArrayArgument& output_size = array(0);
  // 3D alone has these two.
  const ArrayArgument& stride = array(1);
  const ArrayArgument& padding = array(2);
};

// What the descriptors share: of volumes, eight types.
inline constexpr TypeSet kTypes = {DataType::kFloat, DataType::kFloat16, DataType::kDouble, DataType::kInt8,
                                   DataType::kUint8, DataType::kInt16,   DataType::kInt32,  DataType::kInt64};
inline constexpr std::array kVolumeLists = {
    ArgumentInfo{"outputSize", Kind::kIntArray, "{outlist}"},
    ArgumentInfo{"stride", Kind::kIntArray, "three values; they do not change the result"},
    ArgumentInfo{"padding", Kind::kIntArray, "three values; they do not change the result"},
};

Axes axes_of(const Call& call);

Complaint index_type_supported(const Call& call);
Complaint self_rank(const Call& call);
Complaint ranks_equal(const Call& call);
Complaint self_has_elements(const Call& call);
Complaint output_size_length(const Call& call);
Complaint output_size_positive(const Call& call);
Complaint stride_length(const Call& call);
Complaint padding_length(const Call& call);
Complaint stride_positive(const Call& call);
Complaint output_size_holds_self(const Call& call);
// The plane of `unpooled` is outputSize; its N and C are those of self.
Complaint unpooled_plane(const Call& call, const TensorArgument& unpooled);
Complaint unpooled_batch(const Call& call, const TensorArgument& unpooled);

// The rules over these.

// clang-format off
inline constexpr Rule kIndexTypeSupported = {"index_type_supported", kInvalid, "indices has a data type that the product allows.", of_call<index_type_supported>};
inline constexpr Rule kSelfRank = {"self_rank", kInvalid, "self has {lowrank} or {rank} dimensions.", of_call<self_rank>};
inline constexpr Rule kRanksEqual = {"ranks_equal", kInvalid, "All tensors have as many dimensions as self.", of_call<ranks_equal>};
inline constexpr Rule kOnlyBatchEmpty = {"only_batch_empty", kInvalid, "Every dimension of self but the first is greater than 0.", of_call<self_has_elements>};
inline constexpr Rule kOutputSizeLength = {"output_size_length", kInvalid, "outputSize has length {n}.", of_call<output_size_length>};
inline constexpr Rule kStrideLength = {"stride_length", kInvalid, "stride has length {n}.", of_call<stride_length>};
inline constexpr Rule kPaddingLength = {"padding_length", kInvalid, "padding has length {n}; its values are not looked at.", of_call<padding_length>};
inline constexpr Rule kStridePositive = {"stride_positive", kInvalid, "Every value of stride is greater than 0.", of_call<stride_positive>};
inline constexpr Rule kOutputSizePositive = {"output_size_positive", kInvalid, "Every value of outputSize is greater than 0.", of_call<output_size_positive>};
inline constexpr Rule kOutputSizeHoldsSelf = {"output_size_holds_self", kInvalid, "The product of outputSize is at least {plane} of self.", of_call<output_size_holds_self>};
// clang-format on

// The rules of the sizes, with the lists that volumes have.
inline constexpr std::array kVolumeSizes = {kOnlyBatchEmpty,     kOutputSizeLength, kStrideLength,
                                            kPaddingLength,      kStridePositive,   kOutputSizePositive,
                                            kOutputSizeHoldsSelf};

}  // namespace cairn::unpooling
