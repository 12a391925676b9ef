#ifndef ACLNNOP_ACLNN_MAX_UNPOOL2D_H_
#define ACLNNOP_ACLNN_MAX_UNPOOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Puts each value of self where indices names in a H x W plane of zeros.
ACLNN_API aclnnStatus aclnnMaxUnpool2dGetWorkspaceSize(const aclTensor* self, const aclTensor* indices,
                                                       const aclIntArray* outputSize, aclTensor* out,
                                                       uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnMaxUnpool2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                       aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_MAX_UNPOOL2D_H_
