#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_unpool_backward/contract.h"

namespace cairn::max_unpool_backward {
namespace {

constexpr auto kVolumeArguments = table(
    ArgumentInfo{"gradOutput", Kind::kGathered, "gradient of the unpooled tensor: {oshape} or {onshape}"},
    ArgumentInfo{
        "self", Kind::kShape,
        "the forward input: {shape} or {nshape}; its data is never read, and its address may be null"},
    ArgumentInfo{"indices", Kind::kInput,
                 "the forward indices, shaped as self: flat positions {oat} in the plane of gradOutput"},
    unpooling::kVolumeLists,
    ArgumentInfo{"out", Kind::kOutput, "out: gradient of self, with its shape; contiguous"});

constexpr std::array kPlaneArguments = {
    ArgumentInfo{"gradOutput", Kind::kGathered, "gradient of the unpooled tensor: {oshape} or {ocshape}"},
    ArgumentInfo{
        "self", Kind::kShape,
        "the forward input: {shape} or {cshape}; its data is never read, and its address may be null"},
    kVolumeArguments[2],
    kVolumeArguments[3],
    ArgumentInfo{"out", Kind::kOutput,
                 "out: gradient of self, with its shape; any strides, and a type of its own"},
};

constexpr TypeSet kPlaneTypes = {kFloat, kFloat16, kInt8, kUint8, kInt16, kInt32, kInt64, kBool};
constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, {.types = kPlaneTypes | TypeSet{kBf16, kDouble}, .index_types = {kInt32, kInt64}}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950, kAtlasTraining},
              {.types = kPlaneTypes, .index_types = {kInt32, kInt64}}},
};

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, {.types = unpooling::kTypes | TypeSet{kBf16}, .index_types = {kInt32, kInt64}}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950, kAtlasTraining},
              {.types = unpooling::kTypes, .index_types = {kInt64}}},
};

constexpr FamilyInfo kFamily = {Family::max_unpool_backward, "nn",
                                "Gathers from gradOutput what indices names in each {by} plane.", rules,
                                &kCpuCandidates};

constexpr Operator kMaxUnpool3dBackward = described(
    kFamily, "aclnnMaxUnpool3dBackward", "max_unpool3d_backward", 3, kVolumeArguments, kVolumeSupport);
constexpr Operator kMaxUnpool2dBackward = described(
    kFamily, "aclnnMaxUnpool2dBackward", "max_unpool2d_backward", 2, kPlaneArguments, kPlaneSupport);

}  // namespace
}  // namespace cairn::max_unpool_backward

CAIRN_OPERATORS(max_unpool_backward, &kMaxUnpool3dBackward, &kMaxUnpool2dBackward)

CAIRN_ENTRY(aclnnMaxUnpool3dBackward, kMaxUnpool3dBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
             const aclIntArray* outputSize, const aclIntArray* stride, const aclIntArray* padding,
             aclTensor* out),
            gradOutput, self, indices, outputSize, stride, padding, out)

CAIRN_ENTRY(aclnnMaxUnpool2dBackward, kMaxUnpool2dBackward,
            (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
             const aclIntArray* outputSize, aclTensor* out),
            gradOutput, self, indices, outputSize, out)
