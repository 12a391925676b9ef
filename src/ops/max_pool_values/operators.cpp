#include "ops/entry.h"
#include "ops/kernels.h"
#include "ops/max_pool_values/contract.h"

namespace cairn::max_pool_values {
namespace {

constexpr std::array kArguments = {
    ArgumentInfo{"self", Kind::kInput, "{shape} or {cshape}"},
    ArgumentInfo{"kernelShape", Kind::kIntArray, "window: one value, or {list}"},
    ArgumentInfo{"strides", Kind::kIntArray, "step of the window: one value, or {list}; empty means 1"},
    ArgumentInfo{"autoPad", Kind::kInt64, "0"},
    ArgumentInfo{
        "pads", Kind::kIntArray,
        "padding: nothing, one value for all sides, {list} for both sides, or top, left, bottom, right"},
    ArgumentInfo{"dilations", Kind::kIntArray,
                 "distance of the taps of a window: nothing, one value, {list}, or four times 1"},
    ArgumentInfo{"ceilMode", Kind::kInt64, "whether the output size is rounded up: any value but 0"},
    ArgumentInfo{"out", Kind::kOutput,
                 "out: the largest value of each window, {oshape} or {ocshape}; any strides"},
};

constexpr TypeSet kOn950 = {kFloat, kFloat16, kBf16, kInt8, kUint8, kInt16, kUint16, kInt32, kInt64};

constexpr std::array kSupport = {
    SupportOn{{kPortable},
              {.types = kOn950 | TypeSet{kDouble}, .dilated_windows = true, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = {kFloat, kFloat16}}},
    SupportOn{{kAscend950}, {.types = kOn950}},
    SupportOn{{kAtlasTraining}, {.types = {kFloat16}}},
};

constexpr FamilyInfo kFamily = {Family::max_pool_values, "nn", "The largest value of each window of self.",
                                rules, &kCpuCandidates};

constexpr Operator kMaxPool = described(kFamily, "aclnnMaxPool", "max_pool", 2, kArguments, kSupport);

}  // namespace
}  // namespace cairn::max_pool_values

CAIRN_OPERATORS(max_pool_values, &kMaxPool)

CAIRN_ENTRY(aclnnMaxPool, kMaxPool,
            (const aclTensor* self, const aclIntArray* kernelShape, const aclIntArray* strides,
             const int64_t autoPad, const aclIntArray* pads, const aclIntArray* dilations,
             const int64_t ceilMode, aclTensor* out),
            self, kernelShape, strides, autoPad, pads, dilations, ceilMode, out)
