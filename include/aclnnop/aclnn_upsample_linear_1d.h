#ifndef ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Interpolates linearly between neighbouring cells of self, along W, then H, then D. Scales of 0.0 follow
// from the sizes.
ACLNN_API aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(const aclTensor* self,
                                                            const aclIntArray* outputSize, bool alignCorners,
                                                            double scale, aclTensor* out,
                                                            uint64_t* workspaceSize,
                                                            aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnUpsampleLinear1d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                            aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H_
