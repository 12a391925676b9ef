#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/mean_pool_backward/contract.h"

namespace cairn::mean_pool_backward {
namespace {

using mean_pooling::kTwoTypes;
using pooling::kTypes;

constexpr std::array kGradients = {
    ArgumentInfo{"gradOutput", Kind::kInput, "gradient of the forward output: {oshape} or {ocshape}"},
    ArgumentInfo{
        "self", Kind::kShape,
        "the forward input: {shape} or {cshape}; its data is never read, and its address may be null"}};
constexpr const char* kResult = "out: gradient of self, with its shape; any strides";

constexpr auto kPlaneArguments =
    table(kGradients, pooling::kWindowArguments[0],
          ArgumentInfo{"stride", Kind::kOptionalIntArray,
                       "step of the window: one value, or {list}; empty means kernelSize"},
          pooling::kWindowArguments[2], mean_pooling::kMeanArguments, mean_pooling::kCubeMathType,
          ArgumentInfo{"gradInput", Kind::kOutput, kResult});
constexpr auto kVolumeArguments = table(
    kGradients, pooling::kWindowArguments[0], pooling::kWindowArguments[1], pooling::kWindowArguments[2],
    mean_pooling::kMeanArguments, ArgumentInfo{"output", Kind::kOutput, kResult});
constexpr auto kAdaptiveArguments = table(kGradients, ArgumentInfo{"out", Kind::kOutput, kResult});

constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable},
              {.types = kTypes, .channels_last = true, .cube_math = {0, 1, 2, 3}, .null_stride = true}},
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = kTypes,
               .formats = mean_pooling::kPlaneFormats,
               .cube_math = {{0, 1, 2, 3}, {0, 1, 2}, {0, 1}}}},
    SupportOn{{kAscend950},
              {.types = kTypes,
               .formats = mean_pooling::kPlaneFormats,
               .cube_math = {0, 1, 2, 3},
               .whole_cube_math = {{0, 1, 2, 3}, {0, 1, 2}, {0, 1}}}},
    SupportOn{{kAtlasTraining, kAtlasInference},
              {.types = kTwoTypes,
               .formats = mean_pooling::kPlaneFormats,
               .cube_math = {{1, 2}, {0, 1, 2}, {}},
               .most_divisor = 255,
               .null_stride = true}},
};

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = kTypes}},
};

constexpr std::array kAdaptivePlaneSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = kTypes}},
    SupportOn{{kAtlasTraining, kAtlasInference}, {.types = kTwoTypes}},
};

constexpr std::array kAdaptiveVolumeSupport = {
    SupportOn{{kPortable}, {.types = pooling::kPortableTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kTypes, .batch_required = true}},
    SupportOn{{kAscend950}, {.types = kTypes}},
    SupportOn{{kAtlasTraining}, {.types = kTwoTypes, .batch_required = true, .single_windows = true}},
    SupportOn{{kAtlasInference}, {.types = kTwoTypes, .batch_required = true}},
};

constexpr FamilyInfo kFamily = {
    Family::mean_pool_backward, "nn",
    "The gradient of mean pooling: each cell of a {by} plane gets its share of every window that has it.",
    rules, &kCpuCandidates};
constexpr FamilyInfo kAdaptiveFamily = {
    Family::mean_pool_backward, "nn",
    "The gradient of adaptive mean pooling: each cell of a {by} plane gets its share of every window that "
    "has it.",
    adaptive_rules, &kCpuCandidates};

constexpr Operator kAvgPool2dBackward =
    described(kFamily, "aclnnAvgPool2dBackward", "avgpool2d_backward", 2, kPlaneArguments, kPlaneSupport);
constexpr Operator kAvgPool3dBackward =
    described(kFamily, "aclnnAvgPool3dBackward", "avgpool3d_backward", 3, kVolumeArguments, kVolumeSupport);
constexpr Operator kAdaptiveAvgPool2dBackward =
    described(kAdaptiveFamily, "aclnnAdaptiveAvgPool2dBackward", "adaptive_avg_pool2d_backward", 2,
              kAdaptiveArguments, kAdaptivePlaneSupport);
constexpr Operator kAdaptiveAvgPool3dBackward =
    described(kAdaptiveFamily, "aclnnAdaptiveAvgPool3dBackward", "adaptive_avg_pool3d_backward", 3,
              kAdaptiveArguments, kAdaptiveVolumeSupport);

}  // namespace
}  // namespace cairn::mean_pool_backward

CAIRN_OPERATORS(mean_pool_backward, &kAvgPool2dBackward, &kAvgPool3dBackward, &kAdaptiveAvgPool2dBackward,
                &kAdaptiveAvgPool3dBackward)

CAIRN_ENTRY(aclnnAvgPool2dBackward, kAvgPool2dBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
             const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
             int64_t divisorOverride, int8_t cubeMathType, aclTensor* gradInput),
            gradOutput, self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride,
            cubeMathType, gradInput)

CAIRN_ENTRY(aclnnAvgPool3dBackward, kAvgPool3dBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
             const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
             int64_t divisorOverride, aclTensor* output),
            gradOutput, self, kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride, output)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveAvgPool2dBackward, kAdaptiveAvgPool2dBackward, adaptive_plan,
                    (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out), gradOutput, self,
                    out)

CAIRN_PLANNED_ENTRY(aclnnAdaptiveAvgPool3dBackward, kAdaptiveAvgPool3dBackward, adaptive_plan,
                    (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out), gradOutput, self,
                    out)
