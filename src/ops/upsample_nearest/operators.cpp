#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest/contract.h"

namespace cairn::upsample_nearest {
namespace {

using upsampling::exact;
using upsampling::kLineFormats;
using upsampling::kPlaneFormats;
using upsampling::kThreeTypes;
using enum Resizing::Scales;

constexpr ArgumentInfo kSelf = {"self", Kind::kInput, "{shape}, or {lastshape} with the {last} flag"};
constexpr ArgumentInfo kOut = {"out", Kind::kOutput,
                               "out: {oshape}, or {olastshape} with the {last} flag; any strides"};
constexpr ArgumentInfo kLineSelf = {"self", Kind::kInput, "{shape}"};
constexpr ArgumentInfo kLineOut = {"out", Kind::kOutput, "out: {oshape}; any strides"};
constexpr ArgumentInfo kOutputSize = {"outputSize", Kind::kIntArray, "{outlist}"};

constexpr auto kVolumeArguments = table(kSelf, kOutputSize, upsampling::kScaleArguments, kOut);
constexpr auto kPlaneArguments = table(kSelf, kOutputSize, upsampling::kPlaneScaleArguments, kOut);
constexpr auto kLineArguments = table(kLineSelf, kOutputSize, upsampling::kLineScaleArgument, kLineOut);
constexpr auto kPlainPlaneArguments = table(kSelf, kOutputSize, kOut);
constexpr auto kPlainLineArguments = table(kLineSelf, kOutputSize, kLineOut);
constexpr auto kPlaneV2Arguments =
    table(kSelf, kOutputSize,
          ArgumentInfo{"scalesH", Kind::kFloat, "upsampled size over size along H, or 0 or less"},
          ArgumentInfo{"scalesW", Kind::kFloat, "the same along W"}, kOut);
constexpr auto kLineV2Arguments =
    table(kLineSelf, kOutputSize,
          ArgumentInfo{"scaleL", Kind::kFloat, "upsampled size over size along L, or 0 or less"}, kLineOut);

constexpr TypeSet kFive = upsampling::kTypes | TypeSet{kUint8};
constexpr TypeSet kHostTypes = {kFloat16, kDouble, kUint8};

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = kFive, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = upsampling::kTypes, .channels_last = true, .scales_must_fit = true}},
    SupportOn{{kAscend950}, {.types = kFive, .channels_last = true, .scales_must_fit = true}},
    SupportOn{{kAtlasTraining},
              {.types = {kFloat, kFloat16, kDouble}, .channels_last = true, .scales_must_fit = true}},
    SupportOn{{kAtlasInference},
              {.types = {kFloat, kFloat16}, .channels_last = true, .scales_must_fit = true}},
};

// Of lines and images; `older` products have fewer types.
constexpr std::array<SupportOn, 3> support(TypeSet older, FormatSet formats, bool scales_must_fit) {
  const auto strict = [&](TypeSet types) {
    return Support{
        .types = types, .formats = formats, .size_limits = true, .scales_must_fit = scales_must_fit};
  };
  return {SupportOn{{kPortable}, {.types = kFive}},
          SupportOn{{kAtlasA2, kAtlasA3, kAscend950}, strict(kFive)},
          SupportOn{{kAtlasTraining, kAtlasInference}, strict(older)}};
}
constexpr TypeSet kOlderLineTypes = {kFloat, kFloat16, kDouble, kUint8};
constexpr std::array kLineSupport = support(kOlderLineTypes, {ACL_FORMAT_NCL}, false);
constexpr std::array kLineV2Support = support(kOlderLineTypes, {ACL_FORMAT_NCL}, true);
constexpr std::array kPlaneSupport = support(kHostTypes, kPlaneFormats, false);
constexpr std::array kPlaneV2Support = support(kHostTypes, kPlaneFormats, true);

constexpr std::array<SupportOn, 4> exact_support(FormatSet formats) {
  const auto strict = [&](TypeSet types, bool limited) {
    return Support{.types = types, .formats = formats, .size_limits = limited, .scales_must_fit = true};
  };
  return {SupportOn{{kPortable}, {.types = kFive}},
          SupportOn{{kAtlasA2, kAtlasA3}, strict(kThreeTypes | TypeSet{kUint8}, false)},
          SupportOn{{kAscend950}, strict(kThreeTypes, true)},
          SupportOn{{kAtlasInference}, strict({kFloat, kFloat16}, false)}};
}
constexpr std::array kLineExactSupport = exact_support(kLineFormats);
constexpr std::array kPlaneExactSupport = exact_support({ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_ND});
constexpr std::array kVolumeExactSupport = {
    SupportOn{{kPortable}, {.types = kFive, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
              {.types = kThreeTypes, .channels_last = true, .size_limits = true, .scales_must_fit = true}},
    SupportOn{
        {kAtlasInference},
        {.types = {kFloat, kFloat16}, .channels_last = true, .size_limits = true, .scales_must_fit = true}},
};

constexpr FamilyInfo kFamily = {
    Family::upsample_nearest, "cv",
    "Copies to each cell of out the nearest cell of self. Scales of 0.0 follow from the sizes.", rules,
    &kCpuCandidates};
constexpr FamilyInfo kPlain = {Family::upsample_nearest, "cv",
                               "Copies to each cell of out the nearest cell of self.", plain_rules,
                               &kCpuCandidates};
constexpr FamilyInfo kV2 = {Family::upsample_nearest, "cv", kFamily.summary, v2_rules, &kCpuCandidates};
constexpr FamilyInfo kExact = {Family::upsample_nearest, "cv",
                               "Copies to each cell of out the cell of self that its centre lies in. Scales "
                               "of 0.0 follow from the sizes.",
                               exact_rules, &kCpuCandidates};

constexpr Operator kUpsampleNearest3d =
    described(kFamily, "aclnnUpsampleNearest3d", "upsample_nearest_3d", 3, kVolumeArguments, kVolumeSupport);
constexpr Operator kUpsampleNearest1d =
    described(kPlain, "aclnnUpsampleNearest1d", "upsample_nearest_1d", 1, kPlainLineArguments, kLineSupport);
constexpr Operator kUpsampleNearest2d = described(kPlain, "aclnnUpsampleNearest2d", "upsample_nearest_2d", 2,
                                                  kPlainPlaneArguments, kPlaneSupport);
constexpr Operator kUpsampleNearest1dV2 =
    described(kV2, "aclnnUpsampleNearest1dV2", "upsample_nearest_1d_v2", 1, kLineV2Arguments, kLineV2Support);
constexpr Operator kUpsampleNearest2dV2 = described(kV2, "aclnnUpsampleNearest2dV2", "upsample_nearest_2d_v2",
                                                    2, kPlaneV2Arguments, kPlaneV2Support);
constexpr Operator kUpsampleNearestExact1d =
    exact(described(kExact, "aclnnUpsampleNearestExact1d", "upsample_nearest_exact1d", 1, kLineArguments,
                    kLineExactSupport),
          kTogether);
constexpr Operator kUpsampleNearestExact2d =
    exact(described(kExact, "aclnnUpsampleNearestExact2d", "upsample_nearest_exact2d", 2, kPlaneArguments,
                    kPlaneExactSupport),
          kEachAlone);
constexpr Operator kUpsampleNearestExact3d =
    exact(described(kExact, "aclnnUpsampleNearestExact3d", "upsample_nearest_exact3d", 3, kVolumeArguments,
                    kVolumeExactSupport),
          kTogether);

}  // namespace
}  // namespace cairn::upsample_nearest

CAIRN_OPERATORS(upsample_nearest, &kUpsampleNearest3d, &kUpsampleNearest1d, &kUpsampleNearest2d,
                &kUpsampleNearest1dV2, &kUpsampleNearest2dV2, &kUpsampleNearestExact1d,
                &kUpsampleNearestExact2d, &kUpsampleNearestExact3d)

CAIRN_ENTRY(aclnnUpsampleNearest3d, kUpsampleNearest3d,
            (const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
             double scalesW, aclTensor* out),
            self, outputSize, scalesD, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleNearest1d, kUpsampleNearest1d,
            (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), self, outputSize, out)

CAIRN_ENTRY(aclnnUpsampleNearest2d, kUpsampleNearest2d,
            (const aclTensor* self, const aclIntArray* outputSize, aclTensor* out), self, outputSize, out)

CAIRN_ENTRY(aclnnUpsampleNearest1dV2, kUpsampleNearest1dV2,
            (const aclTensor* self, const aclIntArray* outputSize, float scaleL, aclTensor* out), self,
            outputSize, scaleL, out)

CAIRN_ENTRY(aclnnUpsampleNearest2dV2, kUpsampleNearest2dV2,
            (const aclTensor* self, const aclIntArray* outputSize, float scalesH, float scalesW,
             aclTensor* out),
            self, outputSize, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleNearestExact1d, kUpsampleNearestExact1d,
            (const aclTensor* self, const aclIntArray* outputSize, double scales, aclTensor* out), self,
            outputSize, scales, out)

CAIRN_ENTRY(aclnnUpsampleNearestExact2d, kUpsampleNearestExact2d,
            (const aclTensor* self, const aclIntArray* outputSize, double scalesH, double scalesW,
             aclTensor* out),
            self, outputSize, scalesH, scalesW, out)

CAIRN_ENTRY(aclnnUpsampleNearestExact3d, kUpsampleNearestExact3d,
            (const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
             double scalesW, aclTensor* out),
            self, outputSize, scalesD, scalesH, scalesW, out)
