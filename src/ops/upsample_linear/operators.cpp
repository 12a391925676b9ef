#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_linear/contract.h"

namespace cairn::upsample_linear {
namespace {

using resampling::kAlignCorners;
using resampling::kAntialiasedCubicSupport;
using resampling::kAntialiasedLinearSupport;
using resampling::kCubicFormats;
using upsampling::kPlaneFormats;
using upsampling::kThreeTypes;
using upsampling::kTypes;
using enum Resizing::Scales;

constexpr const char* kSelfText = "{shape}, or {lastshape} with the {last} flag";
constexpr ArgumentInfo kSelf = {"self", Kind::kInput, kSelfText};
constexpr ArgumentInfo kOut = {"out", Kind::kOutput,
                               "out: {oshape}, or {olastshape} with the {last} flag; any strides"};
constexpr ArgumentInfo kOutputSize = {"outputSize", Kind::kIntArray, "{outlist}"};
constexpr ArgumentInfo kAntialiasedAlignCorners = {"alignCorners", Kind::kBool,
                                                   "whether sizes less 1 give the ratio"};

constexpr auto kLineArguments =
    table(ArgumentInfo{"self", Kind::kInput, "{shape}"}, kOutputSize, kAlignCorners,
          ArgumentInfo{"scale", Kind::kDouble, "upsampled size over size along L, or less than 0"},
          ArgumentInfo{"out", Kind::kOutput, "out: {oshape}; any strides"});
constexpr auto kPlaneArguments =
    table(kSelf, kOutputSize, kAlignCorners, upsampling::kPlaneScaleArguments, kOut);
constexpr auto kVolumeArguments = table(kSelf, kOutputSize, kAlignCorners, upsampling::kScaleArguments, kOut);
constexpr auto antialiased_arguments(const char* self) {
  return table(ArgumentInfo{self, Kind::kInput, kSelfText}, kOutputSize, kAntialiasedAlignCorners,
               upsampling::kPlaneScaleArguments, kOut);
}
constexpr auto kAntialiasedLinearArguments = antialiased_arguments("input");
constexpr auto kAntialiasedCubicArguments = antialiased_arguments("x");

constexpr std::array kLineSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kThreeTypes, .scales_must_fit = true, .exact_scales = true}},
    SupportOn{{kAscend950}, {.types = kThreeTypes, .scales_must_fit = true}},
    SupportOn{{kAtlasTraining}, {.types = {kFloat, kFloat16}, .scales_must_fit = true, .exact_scales = true}},
};
constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, {.types = kTypes, .formats = kPlaneFormats}},
    SupportOn{{kAtlasTraining, kAtlasInference},
              {.types = {kFloat, kFloat16, kDouble}, .formats = kPlaneFormats}},
};
constexpr Support volume_support(TypeSet types) {
  return {.types = types,
          .channels_last = true,
          .formats = {ACL_FORMAT_ND, ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC},
          .size_limits = true,
          .scales_must_fit = true,
          .ratio_limits = true};
}
constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = kTypes, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, volume_support(kTypes)},
    SupportOn{{kAscend950}, volume_support(kThreeTypes)},
    SupportOn{{kAtlasTraining}, volume_support({kFloat, kFloat16, kDouble})},
    SupportOn{{kAtlasInference}, volume_support({kFloat, kFloat16})},
};
constexpr Support cubic_support(TypeSet types, FormatSet formats) {
  return {.types = types, .formats = formats, .size_limits = true, .scales_must_fit = true};
}
constexpr std::array kCubicSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3}, cubic_support(kThreeTypes, kCubicFormats)},
    SupportOn{{kAscend950}, cubic_support(kThreeTypes, {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC})},
    SupportOn{{kAtlasTraining, kAtlasInference, kAtlas200i500A2},
              cubic_support({kFloat, kFloat16}, kCubicFormats)},
};

constexpr FormatSet kResizeFormats = {ACL_FORMAT_NCHW};
constexpr std::array kResizeSupport = {
    SupportOn{{kPortable}, {.types = kTypes}},
    SupportOn{{kAtlasA2, kAtlasA3, kAtlasTraining, kAtlasInference},
              {.types = {kFloat, kFloat16}, .formats = kResizeFormats}},
    SupportOn{{kAscend950}, {.types = kThreeTypes, .formats = kPlaneFormats}},
};
constexpr auto kResizeArguments =
    table(kSelf, ArgumentInfo{"scales", Kind::kFloatArray, "a factor for each axis of self, in its order"},
          ArgumentInfo{"mode", Kind::kText, R"("nearest" or "bilinear")"}, kOut);

constexpr FamilyInfo family(const char* summary, std::span<const Rule> (*rules)(int)) {
  return {Family::upsample_linear, "cv", summary, rules, &kCpuCandidates};
}
constexpr FamilyInfo kLinear = family(
    "Interpolates linearly between neighbouring cells of self, along W, then H, then D. Scales of 0.0 follow "
    "from the sizes.",
    linear_rules);
constexpr FamilyInfo kCubic = family(
    "Interpolates with cubic polynomials between four neighbouring cells of self, along W, then H. Scales of "
    "0.0 follow from the sizes.",
    cubic_rules);
constexpr FamilyInfo kAntialiasedLinear = family(
    "Averages the cells of {0} near each cell of out with weights that fall off linearly; a smaller out "
    "reaches "
    "further. Scales of 0.0 follow from the sizes.",
    antialiased_linear_rules);
constexpr FamilyInfo kAntialiasedCubic = family(
    "Averages the cells of {0} near each cell of out with cubic weights; a smaller out reaches further. "
    "Scales "
    "of 0.0 follow from the sizes.",
    antialiased_cubic_rules);

constexpr FamilyInfo kResizing = family(
    "Resizes images to a multiple of their size: each cell of out is interpolated linearly, or is the "
    "nearest "
    "one of self. Positions follow from the sizes alone.",
    resize_rules);

constexpr Operator filtered(Operator op, Filter filter, Resizing::Scales scales) {
  op.resizing = {.scales = scales, .filter = filter};
  return op;
}

constexpr Operator kUpsampleLinear1d = filtered(
    described(kLinear, "aclnnUpsampleLinear1d", "upsample_linear_1d", 1, kLineArguments, kLineSupport),
    Filter::kLinear, kEachAlone);
constexpr Operator kUpsampleBilinear2d = filtered(
    described(kLinear, "aclnnUpsampleBilinear2d", "upsample_bilinear_2d", 2, kPlaneArguments, kPlaneSupport),
    Filter::kLinear, kEachAlone);
constexpr Operator kUpsampleTrilinear3d =
    filtered(described(kLinear, "aclnnUpsampleTrilinear3d", "upsample_trilinear_3d", 3, kVolumeArguments,
                       kVolumeSupport),
             Filter::kLinear, kTogether);
constexpr Operator kUpsampleBicubic2d = filtered(
    described(kCubic, "aclnnUpsampleBicubic2d", "upsample_bicubic_2d", 2, kPlaneArguments, kCubicSupport),
    Filter::kCubic, kEachAlone);
constexpr Operator kUpsampleBilinear2dAA =
    filtered(described(kAntialiasedLinear, "aclnnUpsampleBilinear2dAA", "upsample_bilinear2d_aa", 2,
                       kAntialiasedLinearArguments, kAntialiasedLinearSupport),
             Filter::kAntialiasedLinear, kEachAlone);
constexpr Operator kUpsampleBicubic2dAA =
    filtered(described(kAntialiasedCubic, "aclnnUpsampleBicubic2dAA", "upsample_bicubic2d_aa", 2,
                       kAntialiasedCubicArguments, kAntialiasedCubicSupport),
             Filter::kAntialiasedCubic, kEachAlone);

constexpr const char* kResizeName = "aclnnResize";
constexpr Operator kResize =
    filtered(described(kResizing, kResizeName, "resize", 2, kResizeArguments, kResizeSupport),
             Filter::kLinear, kEachAlone);
constexpr Kernel kResizeNearest = {kResizeName, static_cast<std::size_t>(Family::upsample_nearest),
                                   &upsample_nearest::kCpuCandidates, cpu_target};

PlannedCall plan_resized(const upsampling::Call& call) { return plan_resize(call, kResizeNearest); }

}  // namespace
}  // namespace cairn::upsample_linear

CAIRN_OPERATORS(upsample_linear, &kUpsampleLinear1d, &kUpsampleBilinear2d, &kUpsampleTrilinear3d,
                &kUpsampleBicubic2d, &kUpsampleBilinear2dAA, &kUpsampleBicubic2dAA, &kResize)

CAIRN_ENTRY(aclnnUpsampleLinear1d, kUpsampleLinear1d,
            (const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
             const double scale, aclTensor* out),
            self, outputSize, alignCorners, scale, out)

CAIRN_ENTRY(aclnnUpsampleBilinear2d, kUpsampleBilinear2d,
            (const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
             const double scalesH, const double scalesW, aclTensor* out),
            self, outputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleTrilinear3d, kUpsampleTrilinear3d,
            (const aclTensor* self, const aclIntArray* outputSize, bool alignCorners, double scalesD,
             double scalesH, double scalesW, aclTensor* out),
            self, outputSize, alignCorners, scalesD, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleBicubic2d, kUpsampleBicubic2d,
            (const aclTensor* self, const aclIntArray* outputSize, const bool alignCorners,
             const double scalesH, const double scalesW, aclTensor* out),
            self, outputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleBilinear2dAA, kUpsampleBilinear2dAA,
            (const aclTensor* input, const aclIntArray* outputSize, bool alignCorners, double scalesH,
             double scalesW, aclTensor* out),
            input, outputSize, alignCorners, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleBicubic2dAA, kUpsampleBicubic2dAA,
            (const aclTensor* x, const aclIntArray* outputSize, const bool alignCorners, const double scalesH,
             const double scalesW, aclTensor* out),
            x, outputSize, alignCorners, scalesH, scalesW, out)

CAIRN_PLANNED_ENTRY(aclnnResize, kResize, plan_resized,
                    (const aclTensor* self, const aclFloatArray* scales, const char* mode, aclTensor* out),
                    self, scales, mode, out)
