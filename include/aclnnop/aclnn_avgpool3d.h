#ifndef ACLNNOP_ACLNN_AVGPOOL3D_H_
#define ACLNNOP_ACLNN_AVGPOOL3D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The mean of each window of self.
ACLNN_API aclnnStatus aclnnAvgPool3dGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelSize,
                                                     const aclIntArray* stride, const aclIntArray* padding,
                                                     bool ceilMode, bool countIncludePad,
                                                     int64_t divisorOverride, aclTensor* out,
                                                     uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnAvgPool3d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                     aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_AVGPOOL3D_H_
