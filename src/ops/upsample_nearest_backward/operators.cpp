#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/upsample_nearest_backward/contract.h"

namespace cairn::upsample_nearest_backward {
namespace {

constexpr auto kArguments =
    table(ArgumentInfo{"gradOut", Kind::kInput,
                       "gradient of the upsampled tensor: {oshape}, or {olastshape} with the {last} flag"},
          ArgumentInfo{"outputSize", Kind::kIntArray, "{outlist}"},
          ArgumentInfo{"inputSize", Kind::kIntArray,
                       "the shape of gradInput: N, C, {list}; with the {last} flag also N, {list}, C"},
          upsampling::kScaleArguments,
          ArgumentInfo{"gradInput", Kind::kOutput,
                       "out: {shape}, or {lastshape} with the {last} flag; any strides"});

constexpr std::array kSupport = {
    SupportOn{{kPortable}, {.types = upsampling::kTypes, .channels_last = true}},
    SupportOn{
        {kAtlasA2, kAtlasA3, kAtlasTraining},
        {.types = upsampling::kTypes, .channels_last = true, .size_limits = true, .scales_must_fit = true}},
};

constexpr FamilyInfo kFamily = {Family::upsample_nearest_backward, "cv",
                                "Sums in each cell of gradInput the cells of gradOut that were copied from "
                                "it. Scales of 0.0 follow from the sizes.",
                                rules, &kCpuCandidates};

constexpr Operator kUpsampleNearest3dBackward = described(
    kFamily, "aclnnUpsampleNearest3dBackward", "upsample_nearest_3d_backward", 3, kArguments, kSupport);

}  // namespace
}  // namespace cairn::upsample_nearest_backward

CAIRN_OPERATORS(upsample_nearest_backward, &kUpsampleNearest3dBackward)

CAIRN_ENTRY(aclnnUpsampleNearest3dBackward, kUpsampleNearest3dBackward,
            (const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize,
             double scalesD, double scalesH, double scalesW, aclTensor* gradInput),
            gradOut, outputSize, inputSize, scalesD, scalesH, scalesW, gradInput)
