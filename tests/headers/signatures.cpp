// What a program may rely on beyond calling: function pointers as deleters, dlsym casts, tables of functions.
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"

#define PIN(function, ...) static_assert(std::is_same<decltype(function), __VA_ARGS__>::value, #function)

PIN(aclInit, aclError(const char*));
PIN(aclFinalize, aclError());
PIN(aclFinalizeReference, aclError(uint64_t*));
PIN(aclGetRecentErrMsg, const char*());
PIN(aclrtGetVersion, aclError(int32_t*, int32_t*, int32_t*));
PIN(aclsysGetVersionStr, aclError(char*, char*));
PIN(aclsysGetVersionNum, aclError(char*, int32_t*));
PIN(aclsysGetCANNVersion, aclError(aclCANNPackageName, aclCANNPackageVersion*));
PIN(aclDataTypeSize, size_t(aclDataType));
PIN(aclFloatToFloat16, aclFloat16(float));
PIN(aclFloat16ToFloat, float(aclFloat16));

PIN(aclrtSetDevice, aclError(int32_t));
PIN(aclrtResetDevice, aclError(int32_t));
PIN(aclrtGetDevice, aclError(int32_t*));
PIN(aclrtGetDeviceCount, aclError(uint32_t*));
PIN(aclrtGetSocName, const char*());
PIN(aclrtGetDeviceInfo, aclError(uint32_t, aclrtDevAttr, int64_t*));
PIN(aclrtDeviceGetStreamPriorityRange, aclError(int32_t*, int32_t*));
PIN(aclrtCreateContext, aclError(aclrtContext*, int32_t));
PIN(aclrtCtxSetSysParamOpt, aclError(aclSysParamOpt, int64_t));
PIN(aclrtCtxGetSysParamOpt, aclError(aclSysParamOpt, int64_t*));
PIN(aclrtSetSysParamOpt, aclError(aclSysParamOpt, int64_t));
PIN(aclrtGetSysParamOpt, aclError(aclSysParamOpt, int64_t*));

PIN(aclrtMalloc, aclError(void**, size_t, aclrtMemMallocPolicy));
PIN(aclrtMallocWithCfg, aclError(void**, size_t, aclrtMemMallocPolicy, aclrtMallocConfig*));
PIN(aclrtFree, aclError(void*));
PIN(aclrtMemcpy, aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind));
PIN(aclrtMemcpyAsync, aclError(void*, size_t, const void*, size_t, aclrtMemcpyKind, aclrtStream));
PIN(aclrtMemcpy2d, aclError(void*, size_t, const void*, size_t, size_t, size_t, aclrtMemcpyKind));
PIN(aclrtMemset, aclError(void*, size_t, int32_t, size_t));
PIN(aclrtMemsetD32, aclError(void*, size_t, uint32_t, size_t));
PIN(aclrtGetMemInfo, aclError(aclrtMemAttr, size_t*, size_t*));
PIN(aclrtPointerGetAttributes, aclError(const void*, aclrtPtrAttributes*));

PIN(aclrtCreateStream, aclError(aclrtStream*));
PIN(aclrtCreateStreamWithConfig, aclError(aclrtStream*, uint32_t, uint32_t));
PIN(aclrtDestroyStream, aclError(aclrtStream));
PIN(aclrtSynchronizeStream, aclError(aclrtStream));
PIN(aclrtStreamQuery, aclError(aclrtStream, aclrtStreamStatus*));
PIN(aclrtQueryEventStatus, aclError(aclrtEvent, aclrtEventRecordedStatus*));
PIN(aclrtEventElapsedTime, aclError(float*, aclrtEvent, aclrtEvent));
PIN(aclrtEventGetTimestamp, aclError(aclrtEvent, uint64_t*));
PIN(aclrtLaunchHostFunc, aclError(aclrtStream, void (*)(void*), void*));

PIN(aclCreateTensor, aclTensor*(const int64_t*, uint64_t, aclDataType, const int64_t*, int64_t, aclFormat,
                                const int64_t*, uint64_t, void*));
PIN(aclDestroyTensor, aclnnStatus(const aclTensor*));
PIN(aclCreateScalar, aclScalar*(void*, aclDataType));
PIN(aclCreateIntArray, aclIntArray*(const int64_t*, uint64_t));
PIN(aclDestroyIntArray, aclnnStatus(const aclIntArray*));
PIN(aclCreateTensorList, aclTensorList*(const aclTensor* const*, uint64_t));
PIN(aclGetViewShape, aclnnStatus(const aclTensor*, int64_t**, uint64_t*));
PIN(aclSetInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, aclTensor*, void*));
PIN(aclSetDynamicInputTensorAddr, aclnnStatus(aclOpExecutor*, size_t, size_t, aclTensorList*, void*));
PIN(AclSetDynamicOutputTensorAddr, decltype(aclSetDynamicOutputTensorAddr));

using Phase2 = aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream);
using PoolBackward = aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclIntArray*,
                                 const aclIntArray*, const aclIntArray*, const aclIntArray*, bool, aclTensor*,
                                 uint64_t*, aclOpExecutor**);
PIN(aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize, PoolBackward);
PIN(aclnnMaxPool3dWithArgmaxBackward, Phase2);
PIN(aclnnMaxPool2dWithIndicesBackwardGetWorkspaceSize, PoolBackward);
PIN(aclnnMaxPool2dWithIndicesBackward, Phase2);
PIN(aclnnMaxPool2dWithMaskBackwardGetWorkspaceSize, PoolBackward);
PIN(aclnnMaxPool2dWithMaskBackward, Phase2);
PIN(aclnnMaxUnpool3dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnMaxUnpool3dBackward, Phase2);
PIN(aclnnMaxUnpool2dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, const aclIntArray*, aclTensor*,
                uint64_t*, aclOpExecutor**));
PIN(aclnnMaxUnpool2dBackward, Phase2);
PIN(aclnnUpsampleNearest3dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, double, double, aclTensor*,
                uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest3dBackward, Phase2);

using AdaptiveMaxPoolBackward = aclnnStatus(const aclTensor*, const aclTensor*, const aclTensor*, aclTensor*,
                                            uint64_t*, aclOpExecutor**);
PIN(aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize, AdaptiveMaxPoolBackward);
PIN(aclnnAdaptiveMaxPool2dBackward, Phase2);
PIN(aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize, AdaptiveMaxPoolBackward);
PIN(aclnnAdaptiveMaxPool3dBackward, Phase2);
using AdaptiveMaxPool = aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*, aclTensor*, uint64_t*,
                                    aclOpExecutor**);
PIN(aclnnAdaptiveMaxPool2dGetWorkspaceSize, AdaptiveMaxPool);
PIN(aclnnAdaptiveMaxPool2d, Phase2);
PIN(aclnnAdaptiveMaxPool3dGetWorkspaceSize, AdaptiveMaxPool);
PIN(aclnnAdaptiveMaxPool3d, Phase2);

using PoolForward = aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, const aclIntArray*,
                                const aclIntArray*, bool, aclTensor*, aclTensor*, uint64_t*, aclOpExecutor**);
PIN(aclnnMaxPool3dWithArgmaxGetWorkspaceSize, PoolForward);
PIN(aclnnMaxPool3dWithArgmax, Phase2);
PIN(aclnnMaxPool2dWithIndicesGetWorkspaceSize, PoolForward);
PIN(aclnnMaxPool2dWithIndices, Phase2);
PIN(aclnnMaxPool2dWithMaskGetWorkspaceSize, PoolForward);
PIN(aclnnMaxPool2dWithMask, Phase2);
PIN(aclnnMaxPoolGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, int64_t, const aclIntArray*,
                const aclIntArray*, int64_t, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnMaxPool, Phase2);
PIN(aclnnAvgPool2dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, const aclIntArray*, const bool,
                const bool, const int64_t, const int8_t, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnAvgPool2d, Phase2);
PIN(aclnnAvgPool3dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, const aclIntArray*, bool, bool,
                int64_t, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnAvgPool3d, Phase2);
PIN(aclnnAvgPool2dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                const aclIntArray*, bool, bool, int64_t, int8_t, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnAvgPool2dBackward, Phase2);
PIN(aclnnAvgPool3dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                const aclIntArray*, bool, bool, int64_t, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnAvgPool3dBackward, Phase2);
using AdaptivePool = aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*, uint64_t*,
                                 aclOpExecutor**);
PIN(aclnnAdaptiveAvgPool2dGetWorkspaceSize, AdaptivePool);
PIN(aclnnAdaptiveAvgPool2d, Phase2);
PIN(aclnnAdaptiveAvgPool3dGetWorkspaceSize, AdaptivePool);
PIN(aclnnAdaptiveAvgPool3d, Phase2);
using AdaptivePoolBackward = aclnnStatus(const aclTensor*, const aclTensor*, aclTensor*, uint64_t*,
                                         aclOpExecutor**);
PIN(aclnnAdaptiveAvgPool2dBackwardGetWorkspaceSize, AdaptivePoolBackward);
PIN(aclnnAdaptiveAvgPool2dBackward, Phase2);
PIN(aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize, AdaptivePoolBackward);
PIN(aclnnAdaptiveAvgPool3dBackward, Phase2);
PIN(aclnnMaxUnpool3dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*, const aclIntArray*,
                const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnMaxUnpool3d, Phase2);
PIN(aclnnMaxUnpool2dGetWorkspaceSize, aclnnStatus(const aclTensor*, const aclTensor*, const aclIntArray*,
                                                  aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnMaxUnpool2d, Phase2);
PIN(aclnnUpsampleNearest3dGetWorkspaceSize, aclnnStatus(const aclTensor*, const aclIntArray*, double, double,
                                                        double, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest3d, Phase2);
PIN(aclnnUpsampleNearest1dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest1d, Phase2);
PIN(aclnnUpsampleNearest2dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest2d, Phase2);
PIN(aclnnUpsampleNearest1dV2GetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, float, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest1dV2, Phase2);
PIN(aclnnUpsampleNearest2dV2GetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, float, float, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest2dV2, Phase2);
PIN(aclnnUpsampleNearestExact1dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, double, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearestExact1d, Phase2);
PIN(aclnnUpsampleNearestExact2dGetWorkspaceSize, aclnnStatus(const aclTensor*, const aclIntArray*, double,
                                                             double, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearestExact2d, Phase2);
PIN(aclnnUpsampleNearestExact3dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, double, double, double, aclTensor*, uint64_t*,
                aclOpExecutor**));
PIN(aclnnUpsampleNearestExact3d, Phase2);
PIN(aclnnUpsampleNearest1dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, aclTensor*, uint64_t*,
                aclOpExecutor**));
PIN(aclnnUpsampleNearest1dBackward, Phase2);
PIN(aclnnUpsampleNearest2dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, double, aclTensor*,
                uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearest2dBackward, Phase2);
PIN(aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, aclTensor*, uint64_t*,
                aclOpExecutor**));
PIN(aclnnUpsampleNearestExact1dBackward, Phase2);
PIN(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, double, aclTensor*,
                uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearestExact2dBackward, Phase2);
PIN(aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, double, double, double, aclTensor*,
                uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleNearestExact3dBackward, Phase2);

PIN(aclnnResizeGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclFloatArray*, const char*, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnResize, Phase2);
using UpsampleFiltered2d = aclnnStatus(const aclTensor*, const aclIntArray*, bool, double, double, aclTensor*,
                                       uint64_t*, aclOpExecutor**);
using UpsampleFiltered2dBackward = aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, bool,
                                               double, double, aclTensor*, uint64_t*, aclOpExecutor**);
PIN(aclnnUpsampleLinear1dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, bool, double, aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleLinear1d, Phase2);
PIN(aclnnUpsampleLinear1dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, bool, double, aclTensor*, uint64_t*,
                aclOpExecutor**));
PIN(aclnnUpsampleLinear1dBackward, Phase2);
PIN(aclnnUpsampleTrilinear3dGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, bool, double, double, double, aclTensor*, uint64_t*,
                aclOpExecutor**));
PIN(aclnnUpsampleTrilinear3d, Phase2);
PIN(aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize,
    aclnnStatus(const aclTensor*, const aclIntArray*, const aclIntArray*, bool, double, double, double,
                aclTensor*, uint64_t*, aclOpExecutor**));
PIN(aclnnUpsampleTrilinear3dBackward, Phase2);
PIN(aclnnUpsampleBilinear2dGetWorkspaceSize, UpsampleFiltered2d);
PIN(aclnnUpsampleBilinear2d, Phase2);
PIN(aclnnUpsampleBicubic2dGetWorkspaceSize, UpsampleFiltered2d);
PIN(aclnnUpsampleBicubic2d, Phase2);
PIN(aclnnUpsampleBilinear2dAAGetWorkspaceSize, UpsampleFiltered2d);
PIN(aclnnUpsampleBilinear2dAA, Phase2);
PIN(aclnnUpsampleBicubic2dAAGetWorkspaceSize, UpsampleFiltered2d);
PIN(aclnnUpsampleBicubic2dAA, Phase2);
PIN(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize, UpsampleFiltered2dBackward);
PIN(aclnnUpsampleBilinear2dBackward, Phase2);
PIN(aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize, UpsampleFiltered2dBackward);
PIN(aclnnUpsampleBilinear2dBackwardV2, Phase2);
PIN(aclnnUpsampleBicubic2dBackwardGetWorkspaceSize, UpsampleFiltered2dBackward);
PIN(aclnnUpsampleBicubic2dBackward, Phase2);
PIN(aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize, UpsampleFiltered2dBackward);
PIN(aclnnUpsampleBilinear2dAABackward, Phase2);
PIN(aclnnUpsampleBicubic2dAAGradGetWorkspaceSize, UpsampleFiltered2dBackward);
PIN(aclnnUpsampleBicubic2dAAGrad, Phase2);
