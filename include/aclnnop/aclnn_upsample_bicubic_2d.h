#ifndef ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_H_
#define ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Interpolates with cubic polynomials between four neighbouring cells of self, along W, then H. Scales of 0.0
// follow from the sizes.
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dGetWorkspaceSize(const aclTensor* self,
                                                             const aclIntArray* outputSize, bool alignCorners,
                                                             double scalesH, double scalesW, aclTensor* out,
                                                             uint64_t* workspaceSize,
                                                             aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnUpsampleBicubic2d(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                             aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_H_
