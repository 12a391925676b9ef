#pragma once

#include "ops/checks/axes.h"
#include "ops/checks/rules.h"

// What the contracts of max unpooling share, forward and backward.
namespace cairn::unpooling {

struct Arguments {
  const aclTensor* self;
  const aclTensor* indices;
  const aclIntArray* output_size;
  const aclIntArray* stride;
  const aclIntArray* padding;
};

struct BaseCall : CallBase {
  BaseCall(Operator which, const Arguments& given, std::uint64_t* workspace_size_destination,
           aclOpExecutor** executor_destination)
      : CallBase(which, workspace_size_destination, executor_destination),
        self("self", given.self),
        indices("indices", given.indices),
        output_size("outputSize", given.output_size),
        stride("stride", given.stride),
        padding("padding", given.padding) {}

  TensorArgument self;
  TensorArgument indices;
  ArrayArgument output_size;
  ArrayArgument stride;
  ArrayArgument padding;
};

Axes axes_of(const BaseCall& call);

Complaint index_type_supported(const BaseCall& call);
Complaint self_rank(const BaseCall& call);
Complaint stride_length(const BaseCall& call);
Complaint padding_length(const BaseCall& call);
Complaint stride_positive(const BaseCall& call);
Complaint output_size_holds_self(const BaseCall& call);
// D, H and W of `unpooled` are outputSize; its N and C are those of self.
Complaint unpooled_plane(const BaseCall& call, const TensorArgument& unpooled);
Complaint unpooled_batch(const BaseCall& call, const TensorArgument& unpooled);

// The rules over these, for a Call that derives from BaseCall.

template <typename Call>
inline constexpr Rule<Call> kIndexTypeSupported = {"index_type_supported", kInvalid,
                                                   "indices has a data type that the product allows.",
                                                   shared<index_type_supported>};

template <typename Call>
inline constexpr Rule<Call> kSelfRank = {"self_rank", kInvalid, "self has 4 or 5 dimensions.",
                                         shared<self_rank>};

template <typename Call>
inline constexpr Rule<Call> kStrideLength = {"stride_length", kInvalid, "stride has length 3.",
                                             shared<stride_length>};

template <typename Call>
inline constexpr Rule<Call> kPaddingLength = {"padding_length", kInvalid,
                                              "padding has length 3; its values are not looked at.",
                                              shared<padding_length>};

template <typename Call>
inline constexpr Rule<Call> kStridePositive = {
    "stride_positive", kInvalid, "Every value of stride is greater than 0.", shared<stride_positive>};

template <typename Call>
inline constexpr Rule<Call> kOutputSizeHoldsSelf = {"output_size_holds_self", kInvalid,
                                                    "The product of outputSize is at least D·H·W of self.",
                                                    shared<output_size_holds_self>};

// The rules of the sizes.
template <typename Call>
inline constexpr std::array kSizes = {
    kOnlyBatchEmpty<Call>, kOutputSizeLength<Call>,   kStrideLength<Call>,       kPaddingLength<Call>,
    kStridePositive<Call>, kOutputSizePositive<Call>, kOutputSizeHoldsSelf<Call>};

}  // namespace cairn::unpooling
