#include "ops/operators.h"

#include <array>

#include "ops/max_pool/contract.h"
#include "ops/max_pool_backward/contract.h"
#include "ops/max_unpool/contract.h"
#include "ops/max_unpool_backward/contract.h"
#include "ops/upsample_nearest/contract.h"
#include "ops/upsample_nearest_backward/contract.h"

namespace cairn {
namespace {

constexpr ArgumentInfo kWorkspaceSize = {"workspaceSize", "uint64_t*",
                                         "out: bytes of workspace that phase 2 needs, always 0"};
constexpr ArgumentInfo kExecutor = {"executor", "aclOpExecutor**", "out: what phase 2 runs"};

// Windows of volumes, windows of images.
constexpr ArgumentInfo kKernelSize3d = {"kernelSize", "const aclIntArray*", "window: one value, or D, H, W"};
constexpr ArgumentInfo kStride3d = {"stride", "const aclIntArray*",
                                    "step of the window: one value, or D, H, W; empty means kernelSize"};
constexpr ArgumentInfo kPadding3d = {"padding", "const aclIntArray*",
                                     "padding on both sides: one value, or D, H, W"};
constexpr ArgumentInfo kDilation3d = {"dilation", "const aclIntArray*",
                                      "distance of the taps of a window: one value, or D, H, W"};
constexpr ArgumentInfo kKernelSize2d = {"kernelSize", "const aclIntArray*", "window: one value, or H, W"};
constexpr ArgumentInfo kStride2d = {"stride", "const aclIntArray*",
                                    "step of the window: one value, or H, W; empty means kernelSize"};
constexpr ArgumentInfo kPadding2d = {"padding", "const aclIntArray*",
                                     "padding on both sides: one value, or H, W"};
constexpr ArgumentInfo kDilation2d = {"dilation", "const aclIntArray*",
                                      "distance of the taps of a window: one value, or H, W"};
constexpr ArgumentInfo kForwardCeilMode = {"ceilMode", "bool", "whether the output size is rounded up"};
constexpr ArgumentInfo kBackwardCeilMode = {"ceilMode", "bool",
                                            "whether the forward rounded its output size up"};

constexpr ArgumentInfo kOutputSize = {"outputSize", "const aclIntArray*", "oD, oH, oW"};
constexpr ArgumentInfo kUnpoolStride = {"stride", "const aclIntArray*",
                                        "three values; they do not change the result"};
constexpr ArgumentInfo kUnpoolPadding = {"padding", "const aclIntArray*",
                                         "three values; they do not change the result"};

constexpr ArgumentInfo kScalesD = {"scalesD", "double", "upsampled size over size along D, or 0"};
constexpr ArgumentInfo kScalesH = {"scalesH", "double", "the same along H"};
constexpr ArgumentInfo kScalesW = {"scalesW", "double", "the same along W"};

constexpr std::array kMaxPool3dArguments = {
    ArgumentInfo{"self", "const aclTensor*", "(N,C,D,H,W) or (C,D,H,W)"},
    kKernelSize3d,
    kStride3d,
    kPadding3d,
    kDilation3d,
    kForwardCeilMode,
    ArgumentInfo{"out", "aclTensor*",
                 "out: the largest value of each window, (N,C,oD,oH,oW) or (C,oD,oH,oW); any strides"},
    ArgumentInfo{"indices", "aclTensor*",
                 "out: where it lies, shaped as out: flat positions (d·H + h)·W + w in the plane of self; "
                 "any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxPool2dArguments = {
    ArgumentInfo{"self", "const aclTensor*", "(N,C,H,W) or (C,H,W)"},
    kKernelSize2d,
    kStride2d,
    kPadding2d,
    kDilation2d,
    kForwardCeilMode,
    ArgumentInfo{"out", "aclTensor*",
                 "out: the largest value of each window, (N,C,oH,oW) or (C,oH,oW); any strides"},
    ArgumentInfo{
        "indices", "aclTensor*",
        "out: where it lies, shaped as out: flat positions h·W + w in the plane of self; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxUnpool3dArguments = {
    ArgumentInfo{"self", "const aclTensor*", "the values: (N,C,D,H,W) or (N,D,H,W)"},
    ArgumentInfo{"indices", "const aclTensor*",
                 "where they go, shaped as self: flat positions (d·oH + h)·oW + w in the plane of outRef"},
    kOutputSize,
    kUnpoolStride,
    kUnpoolPadding,
    ArgumentInfo{"outRef", "aclTensor*", "out: (N,C,oD,oH,oW) or (N,oD,oH,oW); contiguous"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kUpsampleNearest3dArguments = {
    ArgumentInfo{"self", "const aclTensor*", "(N,C,D,H,W), or (N,D,H,W,C) with the NDHWC flag"},
    kOutputSize,
    kScalesD,
    kScalesH,
    kScalesW,
    ArgumentInfo{"out", "aclTensor*",
                 "out: (N,C,oD,oH,oW), or (N,oD,oH,oW,C) with the NDHWC flag; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxPool3dBackwardArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the forward output: (N,C,oD,oH,oW) or (C,oD,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,D,H,W) or (C,D,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{
        "indices", "const aclTensor*",
        "the forward indices, shaped as gradOutput: flat positions (d·H + h)·W + w in the plane of self"},
    kKernelSize3d,
    kStride3d,
    kPadding3d,
    kDilation3d,
    kBackwardCeilMode,
    ArgumentInfo{"gradInput", "aclTensor*", "out: gradient of self, with its shape; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxPool2dBackwardArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the forward output: (N,C,oH,oW) or (C,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,H,W) or (C,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{"indices", "const aclTensor*",
                 "the forward indices, shaped as gradOutput: flat positions h·W + w in the plane of self"},
    kKernelSize2d,
    kStride2d,
    kPadding2d,
    kDilation2d,
    kBackwardCeilMode,
    ArgumentInfo{"gradInput", "aclTensor*", "out: gradient of self, with its shape; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kMaxUnpool3dBackwardArguments = {
    ArgumentInfo{"gradOutput", "const aclTensor*",
                 "gradient of the unpooled tensor: (N,C,oD,oH,oW) or (N,oD,oH,oW)"},
    ArgumentInfo{
        "self", "const aclTensor*",
        "the forward input: (N,C,D,H,W) or (N,D,H,W); its data is never read, and its address may be null"},
    ArgumentInfo{
        "indices", "const aclTensor*",
        "the forward indices, shaped as self: flat positions (d·oH + h)·oW + w in the plane of gradOutput"},
    kOutputSize,
    kUnpoolStride,
    kUnpoolPadding,
    ArgumentInfo{"out", "aclTensor*", "out: gradient of self, with its shape; contiguous"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kUpsampleNearest3dBackwardArguments = {
    ArgumentInfo{"gradOut", "const aclTensor*",
                 "gradient of the upsampled tensor: (N,C,oD,oH,oW), or (N,oD,oH,oW,C) with the NDHWC flag"},
    kOutputSize,
    ArgumentInfo{"inputSize", "const aclIntArray*",
                 "the shape of gradInput: N, C, D, H, W; with the NDHWC flag also N, D, H, W, C"},
    kScalesD,
    kScalesH,
    kScalesW,
    ArgumentInfo{"gradInput", "aclTensor*",
                 "out: (N,C,D,H,W), or (N,D,H,W,C) with the NDHWC flag; any strides"},
    kWorkspaceSize,
    kExecutor,
};

constexpr std::array kOperators = {
    OperatorInfo{Operator::kMaxPool3dWithArgmaxBackward, "max_pool3d_with_argmax_backward",
                 "aclnnop/aclnn_max_pool3d_with_argmax_backward.h", kMaxPool3dBackwardArguments,
                 [] { return infos(max_pool_backward::rules(Operator::kMaxPool3dWithArgmaxBackward)); }},
    OperatorInfo{Operator::kMaxPool2dWithIndicesBackward, "max_pool2d_with_indices_backward",
                 "aclnnop/aclnn_max_pool2d_with_indices_backward.h", kMaxPool2dBackwardArguments,
                 [] { return infos(max_pool_backward::rules(Operator::kMaxPool2dWithIndicesBackward)); }},
    OperatorInfo{Operator::kMaxUnpool3dBackward, "max_unpool3d_backward",
                 "aclnnop/aclnn_max_unpool3d_backward.h", kMaxUnpool3dBackwardArguments,
                 [] { return infos(max_unpool_backward::rules()); }},
    OperatorInfo{Operator::kUpsampleNearest3dBackward, "upsample_nearest_3d_backward",
                 "aclnnop/aclnn_upsample_nearest_3d_backward.h", kUpsampleNearest3dBackwardArguments,
                 [] { return infos(upsample_nearest_backward::rules()); }},
    OperatorInfo{Operator::kMaxPool3dWithArgmax, "max_pool3d_with_argmax",
                 "aclnnop/aclnn_max_pool3d_with_argmax.h", kMaxPool3dArguments,
                 [] { return infos(max_pool::rules(Operator::kMaxPool3dWithArgmax)); }},
    OperatorInfo{Operator::kMaxPool2dWithIndices, "max_pool2d_with_indices",
                 "aclnnop/aclnn_max_pool2d_with_indices.h", kMaxPool2dArguments,
                 [] { return infos(max_pool::rules(Operator::kMaxPool2dWithIndices)); }},
    OperatorInfo{Operator::kMaxUnpool3d, "max_unpool3d", "aclnnop/aclnn_max_unpool3d.h",
                 kMaxUnpool3dArguments, [] { return infos(max_unpool::rules()); }},
    OperatorInfo{Operator::kUpsampleNearest3d, "upsample_nearest_3d", "aclnnop/aclnn_upsample_nearest_3d.h",
                 kUpsampleNearest3dArguments, [] { return infos(upsample_nearest::rules()); }},
};

}  // namespace

std::span<const OperatorInfo> operators() { return kOperators; }

}  // namespace cairn
