#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/mean_pool/contract.h"

namespace cairn::mean_pool {
namespace {

using mean_pooling::kTwoTypes;
using pooling::kTypes;

constexpr ArgumentInfo kSelf = {"self", Kind::kInput, "{shape} or {cshape}"};
constexpr ArgumentInfo kOut = {"out", Kind::kOutput,
                               "out: the mean of each window, {oshape} or {ocshape}; any strides"};

constexpr auto kPlaneArguments =
    table(kSelf, pooling::kWindowArguments[0],
          ArgumentInfo{"strides", Kind::kIntArray, pooling::kWindowArguments[1].text},
          ArgumentInfo{"paddings", Kind::kIntArray, pooling::kWindowArguments[2].text},
          mean_pooling::kMeanArguments, mean_pooling::kCubeMathType, kOut);
constexpr auto kVolumeArguments = table(kSelf, pooling::kWindowArguments[0], pooling::kWindowArguments[1],
                                        pooling::kWindowArguments[2], mean_pooling::kMeanArguments, kOut);
constexpr std::array kAdaptiveArguments = {
    kSelf, ArgumentInfo{"outputSize", Kind::kIntArray, "how many windows there are: {list}"}, kOut};

constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true, .cube_math = {0, 1, 2, 3}}},
    SupportOn{
        {kAtlasA2, kAtlasA3},
        {.types = kTypes, .formats = mean_pooling::kPlaneFormats, .cube_math = {{0, 2}, {0, 1, 2}, {0, 1}}}},
    SupportOn{{kAscend950},
              {.types = kTypes, .formats = mean_pooling::kPlaneFormats, .cube_math = {0, 1, 2}}},
    SupportOn{
        {kAtlasTraining, kAtlasInference},
        {.types = kTwoTypes, .formats = mean_pooling::kPlaneFormats, .cube_math = {{1, 2}, {0, 1, 2}, {}}}},
};

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = kTypes}},
    SupportOn{{kAtlasInference}, {.types = kTwoTypes}},
};

constexpr std::array kAdaptivePlaneSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true, .empty_planes_out = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = kTypes, .formats = mean_pooling::kPlaneFormats}},
    SupportOn{{kAtlasTraining, kAtlasInference},
              {.types = kTwoTypes, .formats = mean_pooling::kPlaneFormats}},
};

constexpr std::array kAdaptiveVolumeSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true, .empty_planes_out = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kTypes}},
    SupportOn{{kAscend950}, {.types = kTypes, .formats = {ACL_FORMAT_NCDHW, ACL_FORMAT_NCHW, ACL_FORMAT_ND}}},
    SupportOn{{kAtlasInference}, {.types = kTwoTypes, .batch_required = true}},
};

constexpr FamilyInfo kFamily = {Family::mean_pool, "nn", "The mean of each window of self.", rules,
                                &kCpuCandidates};
constexpr FamilyInfo kAdaptiveFamily = {
    Family::mean_pool, "nn", "The means of as many windows as outputSize says, which cover each {by} plane.",
    adaptive_rules, &kCpuCandidates};

constexpr Operator kAvgPool2d =
    described(kFamily, "aclnnAvgPool2d", "avgpool2d", 2, kPlaneArguments, kPlaneSupport);
constexpr Operator kAvgPool3d =
    described(kFamily, "aclnnAvgPool3d", "avgpool3d", 3, kVolumeArguments, kVolumeSupport);
constexpr Operator kAdaptiveAvgPool2d =
    described(kAdaptiveFamily, "aclnnAdaptiveAvgPool2d", "adaptive_avg_pool2d", 2, kAdaptiveArguments,
              kAdaptivePlaneSupport);
constexpr Operator kAdaptiveAvgPool3d =
    described(kAdaptiveFamily, "aclnnAdaptiveAvgPool3d", "adaptive_avg_pool3d", 3, kAdaptiveArguments,
              kAdaptiveVolumeSupport);

}  // namespace
}  // namespace cairn::mean_pool

CAIRN_OPERATORS(mean_pool, &kAvgPool2d, &kAvgPool3d, &kAdaptiveAvgPool2d, &kAdaptiveAvgPool3d)

CAIRN_ENTRY(aclnnAvgPool2d, kAvgPool2d,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* strides,
             const aclIntArray* paddings, const bool ceilMode, const bool countIncludePad,
             const int64_t divisorOverride, const int8_t cubeMathType, aclTensor* out),
            self, kernelSize, strides, paddings, ceilMode, countIncludePad, divisorOverride, cubeMathType,
            out)

CAIRN_ENTRY(aclnnAvgPool3d, kAvgPool3d,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, bool ceilMode, bool countIncludePad, int64_t divisorOverride,
             aclTensor* out),
            self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride, out)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveAvgPool2d, kAdaptiveAvgPool2d, adaptive_plan,
                    (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), self, outputSize,
                    out)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveAvgPool3d, kAdaptiveAvgPool3d, adaptive_plan,
                    (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), self, outputSize,
                    out)
