#ifndef ACLNNOP_ACLNN_MAX_UNPOOL3D_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Puts each value of self where indices names in a D x H x W plane of zeros.
ACLNN_API aclnnStatus aclnnMaxUnpool3dGetWorkspaceSize(const aclTensor* self, const aclTensor* indices,
                                                       const aclIntArray* outputSize,
                                                       const aclIntArray* stride, const aclIntArray* padding,
                                                       aclTensor* outRef, uint64_t* workspaceSize,
                                                       aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnMaxUnpool3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL3D_H_
