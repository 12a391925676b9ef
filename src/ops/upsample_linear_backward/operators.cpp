#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_linear_backward/contract.h"

namespace cairn::upsample_linear_backward {
namespace {

using resampling::kAlignCorners;
using resampling::kAntialiasedCubicSupport;
using resampling::kAntialiasedLinearSupport;
using resampling::kCubicFormats;
using upsampling::kPlaneFormats;
using upsampling::kThreeTypes;
using upsampling::kTypes;
using enum Resizing::Scales;

constexpr const char* kGradientText =
    "gradient of the upsampled tensor: {oshape}, or {olastshape} with the {last} flag";
constexpr const char* kResultText = "out: {shape}, or {lastshape} with the {last} flag; any strides";
constexpr ArgumentInfo kGradOut = {"gradOut", Kind::kInput, kGradientText};
constexpr ArgumentInfo kOut = {"out", Kind::kOutput, kResultText};
constexpr ArgumentInfo kGradInput = {"gradInput", Kind::kOutput, kResultText};
constexpr ArgumentInfo kOutputSize = {"outputSize", Kind::kIntArray, "{outlist}"};
constexpr ArgumentInfo kInputSize = {
    "inputSize", Kind::kIntArray, "the shape of {1}: N, C, {list}; with the {last} flag also N, {list}, C"};

constexpr auto kLineArguments =
    table(ArgumentInfo{"gradOut", Kind::kInput, "gradient of the upsampled tensor: {oshape}"}, kOutputSize,
          ArgumentInfo{"inputSize", Kind::kIntArray, "the shape of {1}: N, C, L"}, kAlignCorners,
          upsampling::kLineScaleArgument, ArgumentInfo{"out", Kind::kOutput, "out: {shape}; any strides"});
constexpr auto kPlaneArguments =
    table(kGradOut, kOutputSize, kInputSize, kAlignCorners, upsampling::kPlaneScaleArguments, kOut);
constexpr auto kVolumeArguments =
    table(kGradOut, kOutputSize, kInputSize, kAlignCorners, upsampling::kScaleArguments, kGradInput);
constexpr auto kCubicArguments =
    table(kGradOut, kOutputSize, kInputSize, kAlignCorners, upsampling::kPlaneScaleArguments, kGradInput);
constexpr auto kAntialiasedArguments =
    table(ArgumentInfo{"gradOutput", Kind::kInput, kGradientText}, kOutputSize, kInputSize,
          ArgumentInfo{"alignCorners", Kind::kBool, "whether sizes less 1 give the ratio"},
          upsampling::kPlaneScaleArguments, kOut);

constexpr std::array kLineSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kThreeTypes, .size_limits = true, .ratio_limits = true}},
    SupportOn{{kAscend950}, {.types = kThreeTypes, .size_limits = true}},
    SupportOn{{kAtlasTraining}, {.types = {kFloat, kFloat16}, .size_limits = true}},
};
constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .out_types = kThreeTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAtlasTraining, kAtlasInference},
              {.types = {kFloat, kFloat16}, .formats = kPlaneFormats}},
    SupportOn{{kAscend950}, {.types = kThreeTypes, .out_types = kThreeTypes, .formats = kPlaneFormats}},
};
constexpr std::array kPlaneV2Support = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
              {.types = kThreeTypes, .formats = kPlaneFormats, .size_limits = true}},
    SupportOn{{kAtlasTraining, kAtlasInference},
              {.types = {kFloat, kFloat16}, .formats = kPlaneFormats, .size_limits = true}},
};
constexpr Support volume_support(TypeSet types) {
  return {.types = types,
          .channels_last = true,
          .formats = {ACL_FORMAT_ND, ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC},
          .size_limits = true,
          .scales_must_fit = true};
}
constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAtlasInference}, volume_support(kTypes)},
    SupportOn{{kAtlasTraining}, volume_support({kFloat, kFloat16, kDouble})},
};
constexpr std::array kCubicSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kThreeTypes, .formats = kCubicFormats, .size_limits = true}},
    SupportOn{{kAscend950},
              {.types = kThreeTypes, .formats = {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC}}},
    SupportOn{{kAtlasTraining}, {.types = {kFloat, kFloat16}, .formats = kCubicFormats}},
};

constexpr const char* kSummary =
    "Sums in each cell of {1} what it was multiplied into, from {0}: along W, then H, then D, always in the "
    "same "
    "order. Scales of 0.0 follow from the sizes.";
constexpr FamilyInfo family(std::span<const Rule> (*rules)(int)) {
  return {Family::upsample_linear_backward, "cv", kSummary, rules, &kCpuCandidates};
}
constexpr FamilyInfo kLinear = family(linear_rules);
constexpr FamilyInfo kLinearV2 = family(linear_v2_rules);
constexpr FamilyInfo kCubic = family(cubic_rules);
constexpr FamilyInfo kAntialiasedLinear = family(antialiased_linear_rules);
constexpr FamilyInfo kAntialiasedCubic = family(antialiased_cubic_rules);

constexpr Operator filtered(Operator op, Filter filter, Resizing::Scales scales) {
  op.resizing = {.scales = scales, .filter = filter};
  return op;
}

constexpr Operator kUpsampleLinear1dBackward =
    filtered(described(kLinear, "aclnnUpsampleLinear1dBackward", "upsample_linear_1d_backward", 1,
                       kLineArguments, kLineSupport),
             Filter::kLinear, kEachAlone);
constexpr Operator kUpsampleBilinear2dBackward =
    filtered(described(kLinear, "aclnnUpsampleBilinear2dBackward", "upsample_bilinear_2d_backward", 2,
                       kPlaneArguments, kPlaneSupport),
             Filter::kLinear, kEachAlone);
constexpr Operator kUpsampleBilinear2dBackwardV2 =
    filtered(described(kLinearV2, "aclnnUpsampleBilinear2dBackwardV2", "upsample_bilinear_2d_backward_v2", 2,
                       kPlaneArguments, kPlaneV2Support),
             Filter::kLinear, kEachAlone);
constexpr Operator kUpsampleTrilinear3dBackward =
    filtered(described(kLinear, "aclnnUpsampleTrilinear3dBackward", "upsample_trilinear_3d_backward", 3,
                       kVolumeArguments, kVolumeSupport),
             Filter::kLinear, kTogether);
constexpr Operator kUpsampleBicubic2dBackward =
    filtered(described(kCubic, "aclnnUpsampleBicubic2dBackward", "upsample_bicubic_2d_backward", 2,
                       kCubicArguments, kCubicSupport),
             Filter::kCubic, kEachAlone);
constexpr Operator kUpsampleBilinear2dAABackward = filtered(
    described(kAntialiasedLinear, "aclnnUpsampleBilinear2dAABackward", "upsample_bilinear2d_aa_backward", 2,
              kAntialiasedArguments, kAntialiasedLinearSupport),
    Filter::kAntialiasedLinear, kEachAlone);
constexpr Operator kUpsampleBicubic2dAAGrad =
    filtered(described(kAntialiasedCubic, "aclnnUpsampleBicubic2dAAGrad", "upsample_bicubic2d_aa_grad", 2,
                       kAntialiasedArguments, kAntialiasedCubicSupport),
             Filter::kAntialiasedCubic, kEachAlone);

}  // namespace
}  // namespace cairn::upsample_linear_backward

CAIRN_OPERATORS(upsample_linear_backward, &kUpsampleLinear1dBackward, &kUpsampleBilinear2dBackward,
                &kUpsampleBilinear2dBackwardV2, &kUpsampleTrilinear3dBackward, &kUpsampleBicubic2dBackward,
                &kUpsampleBilinear2dAABackward, &kUpsampleBicubic2dAAGrad)

CAIRN_ENTRY(aclnnUpsampleLinear1dBackward, kUpsampleLinear1dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scales, aclTensor* out),
            gradOut, outputSize, inputSize, alignCorners, scales, out)

CAIRN_ENTRY(aclnnUpsampleBilinear2dBackward, kUpsampleBilinear2dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scalesH, double scalesW, aclTensor* out),
            gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleBilinear2dBackwardV2, kUpsampleBilinear2dBackwardV2,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scalesH, double scalesW, aclTensor* out),
            gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleTrilinear3dBackward, kUpsampleTrilinear3dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, alignCorners, scalesD, scalesH, scalesW, gradInput)

CAIRN_ENTRY(aclnnUpsampleBicubic2dBackward, kUpsampleBicubic2dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             const bool alignCorners, double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, gradInput)

CAIRN_ENTRY(aclnnUpsampleBilinear2dAABackward, kUpsampleBilinear2dAABackward,
            (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scalesH, double scalesW, aclTensor* out),
            gradOutput, outputSize, inputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleBicubic2dAAGrad, kUpsampleBicubic2dAAGrad,
            (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
             bool alignCorners, double scalesH, double scalesW, aclTensor* out),
            gradOutput, outputSize, inputSize, alignCorners, scalesH, scalesW, out)
