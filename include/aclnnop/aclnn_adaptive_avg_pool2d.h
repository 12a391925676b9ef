#ifndef ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL2D_H_
#define ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The means of as many windows as outputSize says, which cover each H x W plane.
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2dGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* outputSize, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL2D_H_
