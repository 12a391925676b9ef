#ifndef ACLNNOP_ACLNN_MAX_UNPOOL3D_BACKWARD_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Gathers from gradOutput what indices names in each D x H x W plane.
ACLNN_API aclnnStatus aclnnMaxUnpool3dBackwardGetWorkspaceSize(
    const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices,
    const aclIntArray* outputSize, const aclIntArray* stride, const aclIntArray* padding, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnMaxUnpool3dBackward(void* workspace, uint64_t workspaceSize,
                                               aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL3D_BACKWARD_H_
