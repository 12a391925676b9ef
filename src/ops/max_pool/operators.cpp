#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_pool/contract.h"

namespace cairn::max_pool {
namespace {

constexpr auto kArguments = table(
    ArgumentInfo{"self", Kind::kInput, "{shape} or {cshape}"}, pooling::kWindowArguments,
    ArgumentInfo{"ceilMode", Kind::kBool, "whether the output size is rounded up"},
    ArgumentInfo{"out", Kind::kOutput,
                 "out: the largest value of each window, {oshape} or {ocshape}; any strides"},
    ArgumentInfo{"indices", Kind::kOutput,
                 "out: where it lies, shaped as out: flat positions {at} in the plane of self; any strides"});

constexpr auto kMaskArguments = table(
    kArguments[0], pooling::kWindowArguments, kArguments[5], kArguments[6],
    ArgumentInfo{
        "indices", Kind::kOutput,
        "out: a mask for the backward, (N,C,kH·kW,(⌈oH·oW / 16⌉ + 1)·32) or the same without N; contiguous"});

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAscend950}, pooling::kAll},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = pooling::kTypes, .index_types = {kInt32}}},
};

constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAscend950}, pooling::kAll},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = pooling::kTypes, .index_types = {kInt32, kInt64}}},
};

constexpr std::array kMaskSupport = {
    pooling::kMaskInPortable,
    pooling::kMaskOnA2A3,
    pooling::kMaskOnTraining,
    SupportOn{{kAtlasInference}, {.types = {kFloat}, .index_types = {kInt8}}},
};

constexpr std::array kAdaptiveArguments = {
    kArguments[0],
    ArgumentInfo{"outputSize", Kind::kIntArray, "how many windows there are: {outlist}"},
    ArgumentInfo{"outputOut", Kind::kOutput,
                 "out: the largest value of each window, {oshape} or {ocshape}; any strides"},
    ArgumentInfo{
        "indicesOut", Kind::kOutput,
        "out: where it lies, shaped as outputOut: flat positions {at} in the plane of self; any strides"},
};

constexpr FormatSet kPlaneFormats = {ACL_FORMAT_NCHW, ACL_FORMAT_NCL, ACL_FORMAT_NHWC};

constexpr std::array kAdaptivePlaneSupport = {
    SupportOn{
        {kPortable},
        {.types = pooling::kPortableTypes, .index_types = adaptive_max::kIndexTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
              {.types = pooling::kPortableTypes,
               .index_types = {kInt64},
               .channels_last = true,
               .formats = kPlaneFormats}},
    SupportOn{{kAtlasTraining},
              {.types = {kFloat, kFloat16, kDouble},
               .index_types = {kInt64},
               .channels_last = true,
               .formats = kPlaneFormats}},
};

constexpr std::array kAdaptiveVolumeSupport = {
    SupportOn{{kPortable},
              {.types = pooling::kPortableTypes,
               .index_types = adaptive_max::kIndexTypes,
               .channels_last = true,
               .short_output_size = true}},
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = adaptive_max::kTypes,
               .index_types = {kInt32},
               .formats = {ACL_FORMAT_NCDHW, ACL_FORMAT_NCHW}}},
    SupportOn{{kAscend950},
              {.types = adaptive_max::kTypes,
               .index_types = adaptive_max::kIndexTypes,
               .formats = {ACL_FORMAT_NCDHW, ACL_FORMAT_NCHW, ACL_FORMAT_ND},
               .short_output_size = true}},
};

constexpr FamilyInfo kFamily = {
    Family::max_pool, "nn", "The largest value of each window of self, and its position in its {by} plane.",
    rules, &kCpuCandidates};

constexpr FamilyInfo kMaskFamily = {Family::max_pool, "nn",
                                    "The largest value of each window of self, and a mask that tells the "
                                    "backward its position in its {by} plane.",
                                    mask_rules, &kCpuCandidates};

constexpr FamilyInfo kAdaptiveFamily = {
    Family::max_pool, "nn",
    "The largest value of each of outputSize windows that cover self, and its position in its {by} plane.",
    adaptive_rules, &kCpuCandidates};

constexpr Operator kMaxPool3dWithArgmax =
    described(kFamily, "aclnnMaxPool3dWithArgmax", "max_pool3d_with_argmax", 3, kArguments, kVolumeSupport);
constexpr Operator kMaxPool2dWithIndices =
    described(kFamily, "aclnnMaxPool2dWithIndices", "max_pool2d_with_indices", 2, kArguments, kPlaneSupport);
constexpr Operator kMaxPool2dWithMask =
    described(kMaskFamily, "aclnnMaxPool2dWithMask", "max_pool2d_with_indices", 2, kMaskArguments,
              kMaskSupport, "max_pool2d_with_mask");
constexpr Operator kAdaptiveMaxPool2d =
    described(kAdaptiveFamily, "aclnnAdaptiveMaxPool2d", "adaptive_max_pool2d", 2, kAdaptiveArguments,
              kAdaptivePlaneSupport);
constexpr Operator kAdaptiveMaxPool3d =
    described(kAdaptiveFamily, "aclnnAdaptiveMaxPool3d", "adaptive_max_pool3d", 3, kAdaptiveArguments,
              kAdaptiveVolumeSupport);

}  // namespace
}  // namespace cairn::max_pool

CAIRN_OPERATORS(max_pool, &kMaxPool3dWithArgmax, &kMaxPool2dWithIndices, &kMaxPool2dWithMask,
                &kAdaptiveMaxPool2d, &kAdaptiveMaxPool3d)

CAIRN_ENTRY(aclnnMaxPool3dWithArgmax, kMaxPool3dWithArgmax,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)

CAIRN_ENTRY(aclnnMaxPool2dWithIndices, kMaxPool2dWithIndices,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)

CAIRN_ENTRY(aclnnMaxPool2dWithMask, kMaxPool2dWithMask,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveMaxPool2d, kAdaptiveMaxPool2d, plan_adaptive,
                    (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
                     aclTensor* indicesOut),
                    self, outputSize, outputOut, indicesOut)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveMaxPool3d, kAdaptiveMaxPool3d, plan_adaptive,
                    (const aclTensor* self, const aclIntArray* outputSize, aclTensor* outputOut,
                     aclTensor* indicesOut),
                    self, outputSize, outputOut, indicesOut)
