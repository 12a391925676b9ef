#ifndef ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_H_
#define ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Averages the cells of input near each cell of out with weights that fall off linearly; a smaller out
// reaches further. Scales of 0.0 follow from the sizes.
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAAGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* outputSize, bool alignCorners, double scalesH, double scalesW,
    aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAA(void* workspace, uint64_t workspaceSize,
                                                aclOpExecutor* executor, aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_H_
