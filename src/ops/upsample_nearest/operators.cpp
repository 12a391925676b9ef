#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest/contract.h"

namespace cairn::upsample_nearest {
namespace {

constexpr auto kArguments = table(
    ArgumentInfo{"self", Kind::kInput, "{shape}, or {lastshape} with the {last} flag"},
    ArgumentInfo{"outputSize", Kind::kIntArray, "{outlist}"}, upsampling::kScaleArguments,
    ArgumentInfo{"out", Kind::kOutput, "out: {oshape}, or {olastshape} with the {last} flag; any strides"});

constexpr std::array kSupport = {
    SupportOn{{kPortable}, {.types = upsampling::kTypes | TypeSet{kUint8}, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3},
              {.types = upsampling::kTypes, .channels_last = true, .scales_must_fit = true}},
    SupportOn{
        {kAscend950},
        {.types = upsampling::kTypes | TypeSet{kUint8}, .channels_last = true, .scales_must_fit = true}},
    SupportOn{{kAtlasTraining},
              {.types = {kFloat, kFloat16, kDouble}, .channels_last = true, .scales_must_fit = true}},
    SupportOn{{kAtlasInference},
              {.types = {kFloat, kFloat16}, .channels_last = true, .scales_must_fit = true}},
};

constexpr FamilyInfo kFamily = {
    Family::upsample_nearest, "cv",
    "Copies to each cell of out the nearest cell of self. Scales of 0.0 follow from the sizes.", rules,
    &kCpuCandidates};

constexpr Operator kUpsampleNearest3d =
    described(kFamily, "aclnnUpsampleNearest3d", "upsample_nearest_3d", 3, kArguments, kSupport);

}  // namespace
}  // namespace cairn::upsample_nearest

CAIRN_OPERATORS(upsample_nearest, &kUpsampleNearest3d)

CAIRN_ENTRY(aclnnUpsampleNearest3d, kUpsampleNearest3d,
            (const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH,
             double scalesW, aclTensor* out),
            self, outputSize, scalesD, scalesH, scalesW, out)
