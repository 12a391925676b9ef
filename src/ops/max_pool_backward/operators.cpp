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

constexpr std::array kAdaptiveArguments = {kArguments[0], kArguments[1], kArguments[2], kArguments[8]};

constexpr SupportOn kAdaptiveInPortable = {
    {kPortable},
    {.types = pooling::kPortableTypes, .index_types = adaptive_max::kIndexTypes, .channels_last = true}};
constexpr std::int64_t kInt32Cells = 2147483647;
constexpr std::int64_t kUnevenCells = 1 << 24;

constexpr std::array kAdaptivePlaneSupport = {
    kAdaptiveInPortable,
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = adaptive_max::kTypes,
               .index_types = adaptive_max::kIndexTypes,
               .most_cells = kInt32Cells,
               .most_uneven_cells = kUnevenCells}},
    SupportOn{
        {kAscend950},
        {.types = adaptive_max::kTypes, .index_types = adaptive_max::kIndexTypes, .most_cells = kInt32Cells}},
};

constexpr std::array kAdaptiveVolumeSupport = {
    kAdaptiveInPortable,
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = adaptive_max::kTypes, .index_types = {kInt32}, .most_uneven_cells = kUnevenCells}},
    SupportOn{{kAscend950}, {.types = adaptive_max::kTypes, .index_types = adaptive_max::kIndexTypes}},
};

constexpr FamilyInfo kFamily = {
    Family::max_pool_backward, "nn",
    "Scatters gradOutput to the positions that indices names in each {by} plane, and sums them.", rules,
    &kCpuCandidates};

constexpr FamilyInfo kMaskFamily = {
    Family::max_pool_backward, "nn",
    "Scatters gradOutput to the positions that the forward's mask names in each {by} plane, and sums them.",
    mask_rules, &kCpuCandidates};

constexpr FamilyInfo kAdaptiveFamily = {Family::max_pool_backward, "nn", kFamily.summary, adaptive_rules,
                                        &kCpuCandidates};

constexpr Operator kMaxPool3dWithArgmaxBackward =
    described(kFamily, "aclnnMaxPool3dWithArgmaxBackward", "max_pool3d_with_argmax_backward", 3, kArguments,
              kVolumeSupport);
constexpr Operator kMaxPool2dWithIndicesBackward =
    described(kFamily, "aclnnMaxPool2dWithIndicesBackward", "max_pool2d_with_indices_backward", 2, kArguments,
              kPlaneSupport);
constexpr Operator kMaxPool2dWithMaskBackward =
    described(kMaskFamily, "aclnnMaxPool2dWithMaskBackward", "max_pool2d_with_indices_backward", 2,
              kMaskArguments, kMaskSupport, "max_pool2d_with_mask_backward");
constexpr Operator kAdaptiveMaxPool2dBackward =
    described(kAdaptiveFamily, "aclnnAdaptiveMaxPool2dBackward", "adaptive_max_pool2d_backward", 2,
              kAdaptiveArguments, kAdaptivePlaneSupport);
constexpr Operator kAdaptiveMaxPool3dBackward =
    described(kAdaptiveFamily, "aclnnAdaptiveMaxPool3dBackward", "adaptive_max_pool3d_backward", 3,
              kAdaptiveArguments, kAdaptiveVolumeSupport);

}  // namespace
}  // namespace cairn::max_pool_backward

CAIRN_OPERATORS(max_pool_backward, &kMaxPool3dWithArgmaxBackward, &kMaxPool2dWithIndicesBackward,
                &kMaxPool2dWithMaskBackward, &kAdaptiveMaxPool2dBackward, &kAdaptiveMaxPool3dBackward)

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

CAIRN_PLANNED_ENTRY(aclnnAdaptiveMaxPool2dBackward, kAdaptiveMaxPool2dBackward, plan_adaptive,
                    (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                     aclTensor* gradInput),
                    gradOutput, self, indices, gradInput)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveMaxPool3dBackward, kAdaptiveMaxPool3dBackward, plan_adaptive,
                    (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
                     aclTensor* gradInput),
                    gradOutput, self, indices, gradInput)
