#ifndef ACLNNOP_ACLNN_RESIZE_H_
#define ACLNNOP_ACLNN_RESIZE_H_

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

extern "C" {

// Resizes images to a multiple of their size: each cell of out is interpolated linearly, or is the nearest
// one of self. Positions follow from the sizes alone.
ACLNN_API aclnnStatus aclnnResizeGetWorkspaceSize(const aclTensor* self, const aclFloatArray* scales,
                                                  const char* mode, aclTensor* out, uint64_t* workspaceSize,
                                                  aclOpExecutor** executor);
ACLNN_API aclnnStatus aclnnResize(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
                                  aclrtStream stream);

}  // extern "C"

#endif  // ACLNNOP_ACLNN_RESIZE_H_
