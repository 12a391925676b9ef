#ifndef ACLNNOP_ACLNN_OPS_CV_H_
#define ACLNNOP_ACLNN_OPS_CV_H_

#include "aclnn_upsample_nearest_3d.h"
#include "aclnn_upsample_nearest_3d_backward.h"

#endif  // ACLNNOP_ACLNN_OPS_CV_H_
