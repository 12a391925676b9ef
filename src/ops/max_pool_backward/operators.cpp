#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_max_pool3d_with_argmax_backward.h"
#include "ops/entry.h"
#include "ops/kit/cpu/target.h"
#include "ops/max_pool_backward/contract.h"
#include "ops/max_pool_backward/cpu/candidates.h"

namespace cairn::max_pool_backward {
namespace {

using enum DataType;
using enum ProductId;

constexpr auto kFamily = static_cast<std::size_t>(Family::max_pool_backward);
constexpr TypeSet kPooled = {kFloat, kFloat16, kBf16};

constexpr std::array kArguments = {
    ArgumentInfo{"gradOutput", Kind::kInput, "gradient of the forward output: {oshape} or {ocshape}"},
    ArgumentInfo{
        "self", Kind::kShape,
        "the forward input: {shape} or {cshape}; its data is never read, and its address may be null"},
    ArgumentInfo{"indices", Kind::kInput,
                 "the forward indices, shaped as gradOutput: flat positions {at} in the plane of self"},
    ArgumentInfo{"kernelSize", Kind::kIntArray, "window: one value, or {list}"},
    ArgumentInfo{"stride", Kind::kIntArray,
                 "step of the window: one value, or {list}; empty means kernelSize"},
    ArgumentInfo{"padding", Kind::kIntArray, "padding on both sides: one value, or {list}"},
    ArgumentInfo{"dilation", Kind::kIntArray, "distance of the taps of a window: one value, or {list}"},
    ArgumentInfo{"ceilMode", Kind::kBool, "whether the forward rounded its output size up"},
    ArgumentInfo{"gradInput", Kind::kOutput, "out: gradient of self, with its shape; any strides"},
};

constexpr std::array kVolumeSupport = {
    SupportOn{
        {kPortable},
        {.types = kPooled, .index_types = {kInt32, kInt64}, .dilated_windows = true, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = kPooled, .index_types = {kInt32}}},
    SupportOn{{kAscend950}, {.types = kPooled, .index_types = {kInt32, kInt64}}},
};

constexpr std::array kPlaneSupport = {
    SupportOn{
        {kPortable, kAscend950},
        {.types = kPooled, .index_types = {kInt32, kInt64}, .dilated_windows = true, .channels_last = true}},
    SupportOn{{kAtlasA2, kAtlasA3}, {.types = {kFloat}, .index_types = {kInt32}}},
};

constexpr Operator kMaxPool3dWithArgmaxBackward = {
    .name = "aclnnMaxPool3dWithArgmaxBackward",
    .header = "max_pool3d_with_argmax_backward",
    .page = "max_pool3d_with_argmax_backward",
    .library = "nn",
    .summary = "Scatters gradOutput to the positions that indices names in each {by} plane, and sums them.",
    .spatial = 3,
    .arguments = kArguments,
    .rules = volume_rules,
    .support = kVolumeSupport,
    .kernel = {"aclnnMaxPool3dWithArgmaxBackward", kFamily, &kCpuCandidates, cpu_target},
};
static_assert(describes(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize,
                        kMaxPool3dWithArgmaxBackward.arguments));

constexpr Operator kMaxPool2dWithIndicesBackward = {
    .name = "aclnnMaxPool2dWithIndicesBackward",
    .header = "max_pool2d_with_indices_backward",
    .page = "max_pool2d_with_indices_backward",
    .library = "nn",
    .summary = "Scatters gradOutput to the positions that indices names in each {by} plane, and sums them.",
    .spatial = 2,
    .arguments = kArguments,
    .rules = plane_rules,
    .support = kPlaneSupport,
    .kernel = {"aclnnMaxPool2dWithIndicesBackward", kFamily, &kCpuCandidates, cpu_target},
};
static_assert(describes(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize,
                        kMaxPool2dWithIndicesBackward.arguments));

constexpr std::array kOperators = {&kMaxPool3dWithArgmaxBackward, &kMaxPool2dWithIndicesBackward};

}  // namespace

std::span<const Operator* const> operators() { return kOperators; }

}  // namespace cairn::max_pool_backward

using namespace cairn::max_pool_backward;  // NOLINT(google-build-using-namespace): for the C functions below

extern "C" {

aclnnStatus aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return cairn::plan_call<Call>(kMaxPool3dWithArgmaxBackward, workspaceSize, executor, gradOutput, self,
                                indices, kernelSize, stride, padding, dilation, ceilMode, gradInput);
}

aclnnStatus aclnnMaxPool3dWithArgmaxBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream) {
  return cairn::run_planned(kMaxPool3dWithArgmaxBackward, workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding,
    const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize,
    aclOpExecutor** executor) {
  return cairn::plan_call<Call>(kMaxPool2dWithIndicesBackward, workspaceSize, executor, gradOutput, self,
                                indices, kernelSize, stride, padding, dilation, ceilMode, gradInput);
}

aclnnStatus aclnnMaxPool2dWithIndicesBackward(void* workspace, uint64_t workspaceSize,
                                              aclOpExecutor* executor, aclrtStream stream) {
  return cairn::run_planned(kMaxPool2dWithIndicesBackward, workspace, workspaceSize, executor, stream);
}

}  // extern "C"
