#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest_backward/contract.h"

namespace cairn::upsample_nearest_backward {
namespace {

using upsampling::exact;
using upsampling::kLineFormats;
using upsampling::kPlaneFormats;
using upsampling::kThreeTypes;
using upsampling::nearest;
using enum Resizing::Scales;

constexpr const char* kGradientText =
    "gradient of the upsampled tensor: {oshape}, or {olastshape} with the {last} flag";
constexpr const char* kResultText = "out: {shape}, or {lastshape} with the {last} flag; any strides";
constexpr ArgumentInfo kGradOut = {"gradOut", Kind::kInput, kGradientText};
constexpr ArgumentInfo kGradInput = {"gradInput", Kind::kOutput, kResultText};
constexpr ArgumentInfo kOutputSize = {"outputSize", Kind::kIntArray, "{outlist}"};
constexpr ArgumentInfo kInputSize = {
    "inputSize", Kind::kIntArray, "the shape of {1}: N, C, {list}; with the {last} flag also N, {list}, C"};
constexpr ArgumentInfo kLineInputSize = {"inputSize", Kind::kIntArray, "the shape of {1}: N, C, L"};

constexpr auto kVolumeArguments =
    table(kGradOut, kOutputSize, kInputSize, upsampling::kScaleArguments, kGradInput);
constexpr auto kPlaneArguments =
    table(kGradOut, kOutputSize, kInputSize, upsampling::kPlaneScaleArguments, kGradInput);
constexpr auto kPlaneExactArguments =
    table(ArgumentInfo{"gradOutput", Kind::kInput, kGradientText}, kOutputSize, kInputSize,
          upsampling::kPlaneScaleArguments, ArgumentInfo{"out", Kind::kOutput, kResultText});

constexpr auto line_arguments(const char* gradient) {
  return table(ArgumentInfo{gradient, Kind::kInput, "gradient of the upsampled tensor: {oshape}"},
               kOutputSize, kLineInputSize, upsampling::kLineScaleArgument,
               ArgumentInfo{"out", Kind::kOutput, "out: {shape}; any strides"});
}
constexpr auto kLineArguments = line_arguments("gradOut");
constexpr auto kLineExactArguments = line_arguments("gradOutput");

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = upsampling::kTypes, .channels_last = true}},
    SupportOn{
        {kAtlasA2, kAtlasA3, kAtlasTraining},
        {.types = upsampling::kTypes, .channels_last = true, .size_limits = true, .scales_must_fit = true}},
};
constexpr std::array kLineSupport = {
    SupportOn{{kPortable}, {.types = upsampling::kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = upsampling::kTypes, .formats = kLineFormats}},
    SupportOn{{kAtlasTraining, kAtlasInference}, {.types = {kFloat16}, .formats = kLineFormats}},
};
constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, {.types = upsampling::kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
              {.types = kThreeTypes, .formats = kPlaneFormats, .scales_must_fit = true}},
    SupportOn{{kAtlasTraining, kAtlasInference},
              {.types = {kFloat16}, .formats = kPlaneFormats, .scales_must_fit = true}},
};

constexpr std::array<SupportOn, 2> exact_support(FormatSet formats, bool channels_last) {
  return {SupportOn{{kPortable}, {.types = upsampling::kTypes, .channels_last = channels_last}},
          SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
                    {.types = kThreeTypes,
                     .channels_last = channels_last,
                     .formats = formats,
                     .size_limits = true,
                     .scales_must_fit = true}}};
}
constexpr std::array kLineExactSupport = exact_support(kLineFormats, false);
constexpr std::array kPlaneExactSupport = exact_support({ACL_FORMAT_NCHW, ACL_FORMAT_ND}, false);
constexpr std::array kVolumeExactSupport = exact_support({}, true);

constexpr FamilyInfo kFamily = {Family::upsample_nearest_backward, "cv",
                                "Sums in each cell of {1} the cells of {0} that were copied from it. Scales "
                                "of 0.0 follow from the sizes.",
                                rules, &kCpuCandidates};
constexpr FamilyInfo kExact = {Family::upsample_nearest_backward, "cv",
                               "Sums in each cell of {1} the cells of {0} whose centres lie in it. Scales "
                               "of 0.0 follow from the sizes.",
                               exact_rules, &kCpuCandidates};

constexpr Operator kUpsampleNearest3dBackward =
    described(kFamily, "aclnnUpsampleNearest3dBackward", "upsample_nearest_3d_backward", 3, kVolumeArguments,
              kVolumeSupport);
constexpr Operator kUpsampleNearest1dBackward =
    nearest(described(kFamily, "aclnnUpsampleNearest1dBackward", "upsample_nearest_1d_backward", 1,
                      kLineArguments, kLineSupport),
            kIfFitting);
constexpr Operator kUpsampleNearest2dBackward =
    nearest(described(kFamily, "aclnnUpsampleNearest2dBackward", "upsample_nearest_2d_backward", 2,
                      kPlaneArguments, kPlaneSupport),
            kEachAlone);
constexpr Operator kUpsampleNearestExact1dBackward =
    exact(described(kExact, "aclnnUpsampleNearestExact1dBackward", "upsample_nearest_exact1d_backward", 1,
                    kLineExactArguments, kLineExactSupport),
          kTogether);
constexpr Operator kUpsampleNearestExact2dBackward =
    exact(described(kExact, "aclnnUpsampleNearestExact2dBackward", "upsample_nearest_exact2d_backward", 2,
                    kPlaneExactArguments, kPlaneExactSupport),
          kEachAlone);
constexpr Operator kUpsampleNearestExact3dBackward =
    exact(described(kExact, "aclnnUpsampleNearestExact3dBackward", "upsample_nearest_exact3d_backward", 3,
                    kVolumeArguments, kVolumeExactSupport),
          kTogether);

}  // namespace
}  // namespace cairn::upsample_nearest_backward

CAIRN_OPERATORS(upsample_nearest_backward, &kUpsampleNearest3dBackward, &kUpsampleNearest1dBackward,
                &kUpsampleNearest2dBackward, &kUpsampleNearestExact1dBackward,
                &kUpsampleNearestExact2dBackward, &kUpsampleNearestExact3dBackward)

CAIRN_ENTRY(aclnnUpsampleNearest3dBackward, kUpsampleNearest3dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput)

CAIRN_ENTRY(aclnnUpsampleNearest1dBackward, kUpsampleNearest1dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scales, aclTensor* out),
            gradOut, outputSize, inputSize, scales, out)

CAIRN_ENTRY(aclnnUpsampleNearest2dBackward, kUpsampleNearest2dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, scalesH, scalesW, gradInput)

CAIRN_ENTRY(aclnnUpsampleNearestExact1dBackward, kUpsampleNearestExact1dBackward,
            (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scales, aclTensor* out),
            gradOutput, outputSize, inputSize, scales, out)

CAIRN_ENTRY(aclnnUpsampleNearestExact2dBackward, kUpsampleNearestExact2dBackward,
            (const aclTensor* gradOutput, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scalesH, double scalesW, aclTensor* out),
            gradOutput, outputSize, inputSize, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleNearestExact3dBackward, kUpsampleNearestExact3dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput)
