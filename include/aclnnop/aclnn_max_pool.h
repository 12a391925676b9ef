#ifndef ACLNNOP_ACLNN_MAX_POOL_H_
#define ACLNNOP_ACLNN_MAX_POOL_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// The largest value of each window of self.
ACLNN_API aclnnStatus aclnnMaxPoolGetWorkspaceSize(const aclTensor* self, const aclIntArray* kernelShape,
                                                   const aclIntArray* strides, int64_t autoPad,
                                                   const aclIntArray* pads, const aclIntArray* dilations,
                                                   int64_t ceilMode, aclTensor* out, uint64_t* workspaceSize,
                                                   aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnMaxPool(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                   aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_MAX_POOL_H_
