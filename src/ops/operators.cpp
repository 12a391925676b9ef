#include "ops/operators.h"

#include <array>

#include "ops/max_pool_backward/contract.h"
#include "ops/max_unpool_backward/contract.h"
#include "ops/upsample_nearest_backward/contract.h"

namespace cairn {
namespace {

constexpr ArgumentInfo kWorkspaceSize = {"workspaceSize", "uint64_t*",
                                         "out: bytes of workspace that phase 2 needs, always 0"};
constexpr ArgumentInfo kExecutor = {"executor", "aclOpExecutor**", "out: what phase 2 runs"};

constexpr std::array kMaxPool3dArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the forward output: (N,C,oD,oH,oW) or (C,oD,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,D,H,W) or (C,D,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{
        "indices", "const aclTensor*",
        "the forward indices, shaped as gradOutput: flat positions (d·H + h)·W + w in the plane of self"},
    ArgumentInfo{"kernelSize", "const aclIntArray*", "window: one value, or D, H, W"},
    ArgumentInfo{"stride", "const aclIntArray*",
                 "step of the window: one value, or D, H, W; empty means kernelSize"},
    ArgumentInfo{"padding", "const aclIntArray*", "padding on both sides: one value, or D, H, W"},
    ArgumentInfo{"dilation", "const aclIntArray*", "distance of the taps of a window: one value, or D, H, W"},
    ArgumentInfo{"ceilMode", "bool", "whether the forward rounded its output size up"},
    ArgumentInfo{"gradInput", "aclTensor*", "out: gradient of self, with its shape; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxPool2dArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the forward output: (N,C,oH,oW) or (C,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,H,W) or (C,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{"indices", "const aclTensor*",
                 "the forward indices, shaped as gradOutput: flat positions h·W + w in the plane of self"},
    ArgumentInfo{"kernelSize", "const aclIntArray*", "window: one value, or H, W"},
    ArgumentInfo{"stride", "const aclIntArray*",
                 "step of the window: one value, or H, W; empty means kernelSize"},
    ArgumentInfo{"padding", "const aclIntArray*", "padding on both sides: one value, or H, W"},
    ArgumentInfo{"dilation", "const aclIntArray*", "distance of the taps of a window: one value, or H, W"},
    ArgumentInfo{"ceilMode", "bool", "whether the forward rounded its output size up"},
    ArgumentInfo{"gradInput", "aclTensor*", "out: gradient of self, with its shape; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxUnpool3dArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the unpooled tensor: (N,C,oD,oH,oW) or (N,oD,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,D,H,W) or (N,D,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{
        "indices", "const aclTensor*",
        "the forward indices, shaped as self: flat positions (d·oH + h)·oW + w in the plane of gradOutput"},
    ArgumentInfo{"outputSize", "const aclIntArray*", "oD, oH, oW"},
    ArgumentInfo{"stride", "const aclIntArray*", "three values; they do not change the result"},
    ArgumentInfo{"padding", "const aclIntArray*", "three values; they do not change the result"},
    ArgumentInfo{"out", "aclTensor*", "out: gradient of self, with its shape; contiguous"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kUpsampleNearest3dArguments = {
    ArgumentInfo{"gradOut", "const aclTensor*",
                 "gradient of the upsampled tensor: (N,C,oD,oH,oW), or (N,oD,oH,oW,C) with the NDHWC flag"},
    ArgumentInfo{"outputSize", "const aclIntArray*", "oD, oH, oW"},
    ArgumentInfo{"inputSize", "const aclIntArray*",
                 "the shape of gradInput: N, C, D, H, W; with the NDHWC flag also N, D, H, W, C"},
    ArgumentInfo{"scalesD", "double", "upsampled size over size along D, or 0"},
    ArgumentInfo{"scalesH", "double", "the same along H"},
    ArgumentInfo{"scalesW", "double", "the same along W"},
    ArgumentInfo{"gradInput", "aclTensor*",
                 "out: (N,C,D,H,W), or (N,D,H,W,C) with the NDHWC flag; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kOperators = {
    OperatorInfo{Operator::kMaxPool3dWithArgmaxBackward, "max_pool3d_with_argmax_backward",
                 "aclnnop/aclnn_max_pool3d_with_argmax_backward.h", kMaxPool3dArguments,
                 [] { return infos(max_pool_backward::rules(Operator::kMaxPool3dWithArgmaxBackward)); }},
    OperatorInfo{Operator::kMaxPool2dWithIndicesBackward, "max_pool2d_with_indices_backward",
                 "aclnnop/aclnn_max_pool2d_with_indices_backward.h", kMaxPool2dArguments,
                 [] { return infos(max_pool_backward::rules(Operator::kMaxPool2dWithIndicesBackward)); }},
    OperatorInfo{Operator::kMaxUnpool3dBackward, "max_unpool3d_backward",
                 "aclnnop/aclnn_max_unpool3d_backward.h", kMaxUnpool3dArguments,
                 [] { return infos(max_unpool_backward::rules()); }},
    OperatorInfo{Operator::kUpsampleNearest3dBackward, "upsample_nearest_3d_backward",
                 "aclnnop/aclnn_upsample_nearest_3d_backward.h", kUpsampleNearest3dArguments,
                 [] { return infos(upsample_nearest_backward::rules()); }},
};

}  // namespace

std::span<const OperatorInfo> operators() { return kOperators; }

}  // namespace cairn
