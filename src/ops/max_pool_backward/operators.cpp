#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_pool_backward/contract.h"

namespace cairn::max_pool_backward {
namespace {

constexpr auto kArguments =
    table(ArgumentInfo{"gradOutput", Kind::kInput, "gradient of the forward output: {oshape} or {ocshape}"},
          ArgumentInfo{
              "self", Kind::kShape,
              "the forward input: {shape} or {cshape}; its data is never read, and its address may be null"},
          ArgumentInfo{"indices", Kind::kInput,
                       "the forward indices, shaped as gradOutput: flat positions {at} in the plane of self"},
          pooling::kWindowArguments,
          ArgumentInfo{"ceilMode", Kind::kBool, "whether the forward rounded its output size up"},
          ArgumentInfo{"gradInput", Kind::kOutput, "out: gradient of self, with its shape; any strides"});

constexpr auto kMaskArguments = table(
    kArguments[0], kArguments[1],
    ArgumentInfo{"indices", Kind::kInput,
                 "the forward's mask, (N,C,kH·kW,(⌈oH·oW / 16⌉ + 1)·32) or the same without N; contiguous"},
    pooling::kWindowArguments, kArguments[7], kArguments[8]);

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = pooling::kTypes, .index_types = {kInt32}}},
    SupportOn{{kAscend950}, {.types = pooling::kTypes, .index_types = {kInt32, kInt64}}},
};

constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAscend950}, pooling::kAll},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = {kFloat}, .index_types = {kInt32}}},
};

constexpr std::array kMaskSupport = {pooling::kMaskInPortable, pooling::kMaskOnA2A3,
                                     pooling::kMaskOnTraining};

constexpr FamilyInfo kFamily = {
    Family::max_pool_backward, "nn",
    "Scatters gradOutput to the positions that indices names in each {by} plane, and sums them.", rules,
    &kCpuCandidates};

constexpr FamilyInfo kMaskFamily = {
    Family::max_pool_backward, "nn",
    "Scatters gradOutput to the positions that the forward's mask names in each {by} plane, and sums them.",
    mask_rules, &kCpuCandidates};

constexpr Operator kMaxPool3dWithArgmaxBackward =
    described(kFamily, "aclnnMaxPool3dWithArgmaxBackward", "max_pool3d_with_argmax_backward", 3, kArguments,
              kVolumeSupport);
constexpr Operator kMaxPool2dWithIndicesBackward =
    described(kFamily, "aclnnMaxPool2dWithIndicesBackward", "max_pool2d_with_indices_backward", 2, kArguments,
              kPlaneSupport);
constexpr Operator kMaxPool2dWithMaskBackward =
    described(kMaskFamily, "aclnnMaxPool2dWithMaskBackward", "max_pool2d_with_indices_backward", 2,
              kMaskArguments, kMaskSupport, "max_pool2d_with_mask_backward");

}  // namespace
}  // namespace cairn::max_pool_backward

CAIRN_OPERATORS(max_pool_backward, &kMaxPool3dWithArgmaxBackward, &kMaxPool2dWithIndicesBackward,
                &kMaxPool2dWithMaskBackward)

CAIRN_ENTRY(aclnnMaxPool3dWithArgmaxBackward, kMaxPool3dWithArgmaxBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
             const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
             const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
            gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)

CAIRN_ENTRY(aclnnMaxPool2dWithIndicesBackward, kMaxPool2dWithIndicesBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
             const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
             const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
            gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)

CAIRN_ENTRY(aclnnMaxPool2dWithMaskBackward, kMaxPool2dWithMaskBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
             const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
             const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput),
            gradOutput, self, indices, kernelSize, stride, padding, dilation, ceilMode, gradInput)
