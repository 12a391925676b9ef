#ifndef ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_BACKWARD_H_
#define ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_BACKWARD_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The gradient of adaptive mean pooling: each cell of a D x H x W plane gets its share of every window that
// has it.
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3dBackwardGetWorkspaceSize(const aclTensor* gradOutput,
                                                                     const aclTensor* self, aclTensor* out,
                                                                     uint64_t* workspaceSize,
                                                                     aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnAdaptiveAvgPool3dBackward(void* workspace, uint64_t workspaceSize,
                                                     aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_ADAPTIVE_AVG_POOL3D_BACKWARD_H_
