#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_unpool/contract.h"

namespace cairn::max_unpool {
namespace {

constexpr auto kVolumeArguments = table(
    ArgumentInfo{"self", Kind::kInput, "the values: {shape} or {nshape}"},
    ArgumentInfo{"indices", Kind::kInput,
                 "where they go, shaped as self: flat positions {oat} in the plane of {2}"},
    unpooling::kVolumeLists, ArgumentInfo{"outRef", Kind::kOutput, "out: {oshape} or {onshape}; contiguous"});

constexpr std::array kPlaneArguments = {
    ArgumentInfo{"self", Kind::kInput, "the values: {shape} or {cshape}"},
    kVolumeArguments[1],
    kVolumeArguments[2],
    ArgumentInfo{"out", Kind::kOutput, "out: {oshape} or {ocshape}; any strides"},
};

constexpr std::array kSupport = {
    SupportOn{{kPortable}, {.types = unpooling::kTypes | TypeSet{kBf16}, .index_types = {kInt32, kInt64}}},
    SupportOn{{kAtlasA2, kAtlasA3, kAscend950},
              {.types = unpooling::kTypes, .index_types = {kInt32, kInt64}}},
};

constexpr FamilyInfo kFamily = {Family::max_unpool, "nn",
                                "Puts each value of self where indices names in a {by} plane of zeros.",
                                rules, &kCpuCandidates};

constexpr Operator kMaxUnpool3d =
    described(kFamily, "aclnnMaxUnpool3d", "max_unpool3d", 3, kVolumeArguments, kSupport);
constexpr Operator kMaxUnpool2d =
    described(kFamily, "aclnnMaxUnpool2d", "max_unpool2d", 2, kPlaneArguments, kSupport);

}  // namespace
}  // namespace cairn::max_unpool

CAIRN_OPERATORS(max_unpool, &kMaxUnpool3d, &kMaxUnpool2d)

CAIRN_ENTRY(aclnnMaxUnpool3d, kMaxUnpool3d,
            (const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize,
             const aclIntArray* stride, const aclIntArray* padding, aclTensor* outRef),
            self, indices, outputSize, stride, padding, outRef)

CAIRN_ENTRY(aclnnMaxUnpool2d, kMaxUnpool2d,
            (const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize, aclTensor* out),
            self, indices, outputSize, out)
