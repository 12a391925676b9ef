#pragma once

#include "ops/axes.h"
#include "ops/checks/rules.h"

// What the contracts of max unpooling share, forward and backward, over 2 or 3 spatial axes.
namespace cairn::unpooling {

struct BaseCall : CallBase {
  // `self_at`: where self stands among the tensors.
  BaseCall(const Operator& which, std::span<const Value> values, std::uint64_t* workspace_size,
           aclOpExecutor** executor, std::size_t self_at)
      : CallBase(which, values, workspace_size, executor),
        self(tensor(self_at)),
        indices(tensor(self_at + 1)) {}

  const TensorArgument& self;
  const TensorArgument& indices;
  const ArrayArgument& output_size = array(0);
  // 3D alone has these two.
  const ArrayArgument& stride = array(1);
  const ArrayArgument& padding = array(2);
};

Axes axes_of(const BaseCall& call);

Complaint index_type_supported(const BaseCall& call);
Complaint self_rank(const BaseCall& call);
Complaint ranks_equal(const BaseCall& call);
Complaint self_has_elements(const BaseCall& call);
Complaint output_size_length(const BaseCall& call);
Complaint output_size_positive(const BaseCall& call);
Complaint stride_length(const BaseCall& call);
Complaint padding_length(const BaseCall& call);
Complaint stride_positive(const BaseCall& call);
Complaint output_size_holds_self(const BaseCall& call);
// The plane of `unpooled` is outputSize; its N and C are those of self.
Complaint unpooled_plane(const BaseCall& call, const TensorArgument& unpooled);
Complaint unpooled_batch(const BaseCall& call, const TensorArgument& unpooled);

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
