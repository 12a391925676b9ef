#ifndef ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_
#define ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The gradient of mean pooling: each cell of a D x H x W plane gets its share of every window that has it.
ACLNN_API aclnnStatus aclnnAvgPool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclIntArray* kernelSize,
    const aclIntArray* stride, const aclIntArray* padding, bool ceilMode, bool countIncludePad,
    int64_t divisorOverride, aclTensor* output, uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnAvgPool3dBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_AVGPOOL3D_BACKWARD_H_
