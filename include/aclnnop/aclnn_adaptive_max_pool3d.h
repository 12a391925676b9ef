#ifndef ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
#define ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The largest value of each of outputSize windows that cover self, and its position in its D x H x W plane.
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3dGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* outputSize,
                                                             aclTensor* outputOut, aclTensor* indicesOut,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnAdaptiveMaxPool3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_ADAPTIVE_MAX_POOL3D_H_
