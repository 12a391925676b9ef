#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_pool/contract.h"

namespace cairn::max_pool {
namespace {

constexpr auto kArguments = table(
    ArgumentInfo{"self", Kind::kInput, "{shape} or {cshape}"}, pooling::kWindowArguments,
    ArgumentInfo{"ceilMode", Kind::kBool, "whether the output size is rounded up"},
    ArgumentInfo{"out", Kind::kOutput,
                 "out: the largest value of each window, {oshape} or {ocshape}; any strides"},
    ArgumentInfo{"indices", Kind::kOutput,
                 "out: where it lies, shaped as out: flat positions {at} in the plane of self; any strides"});

constexpr auto kMaskArguments = table(
    kArguments[0], pooling::kWindowArguments, kArguments[5], kArguments[6],
    ArgumentInfo{
        "indices", Kind::kOutput,
        "out: a mask for the backward, (N,C,kH·kW,(⌈oH·oW / 16⌉ + 1)·32) or the same without N; contiguous"});

constexpr std::array kVolumeSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAscend950}, pooling::kAll},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = pooling::kTypes, .index_types = {kInt32}}},
};

constexpr std::array kPlaneSupport = {
    SupportOn{{kPortable}, pooling::kAllInPortable},
    SupportOn{{kAscend950}, pooling::kAll},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = pooling::kTypes, .index_types = {kInt32, kInt64}}},
};

constexpr std::array kMaskSupport = {
    pooling::kMaskInPortable,
    pooling::kMaskOnA2A3,
    pooling::kMaskOnTraining,
    SupportOn{{kAtlasInference}, {.types = {kFloat}, .index_types = {kInt8}}},
};

constexpr FamilyInfo kFamily = {
    Family::max_pool, "nn", "The largest value of each window of self, and its position in its {by} plane.",
    rules, &kCpuCandidates};

constexpr FamilyInfo kMaskFamily = {Family::max_pool, "nn",
                                    "The largest value of each window of self, and a mask that tells the "
                                    "backward its position in its {by} plane.",
                                    mask_rules, &kCpuCandidates};

constexpr Operator kMaxPool3dWithArgmax =
    described(kFamily, "aclnnMaxPool3dWithArgmax", "max_pool3d_with_argmax", 3, kArguments, kVolumeSupport);
constexpr Operator kMaxPool2dWithIndices =
    described(kFamily, "aclnnMaxPool2dWithIndices", "max_pool2d_with_indices", 2, kArguments, kPlaneSupport);
constexpr Operator kMaxPool2dWithMask =
    described(kMaskFamily, "aclnnMaxPool2dWithMask", "max_pool2d_with_indices", 2, kMaskArguments,
              kMaskSupport, "max_pool2d_with_mask");

}  // namespace
}  // namespace cairn::max_pool

CAIRN_OPERATORS(max_pool, &kMaxPool3dWithArgmax, &kMaxPool2dWithIndices, &kMaxPool2dWithMask)

CAIRN_ENTRY(aclnnMaxPool3dWithArgmax, kMaxPool3dWithArgmax,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)

CAIRN_ENTRY(aclnnMaxPool2dWithIndices, kMaxPool2dWithIndices,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)

CAIRN_ENTRY(aclnnMaxPool2dWithMask, kMaxPool2dWithMask,
            (const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride,
             const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out,
             aclTensor* indices),
            self, kernelSize, stride, padding, dilation, ceilMode, out, indices)
