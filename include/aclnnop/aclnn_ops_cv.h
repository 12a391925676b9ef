#ifndef ACLNNOP_ACLNN_OPS_CV_H_
#define ACLNNOP_ACLNN_OPS_CV_H_

#include "aclnn_upsample_nearest_1d.h"
#include "aclnn_upsample_nearest_1d_backward.h"
#include "aclnn_upsample_nearest_1d_v2.h"
#include "aclnn_upsample_nearest_2d.h"
#include "aclnn_upsample_nearest_2d_backward.h"
#include "aclnn_upsample_nearest_2d_v2.h"
#include "aclnn_upsample_nearest_3d.h"
#include "aclnn_upsample_nearest_3d_backward.h"
#include "aclnn_upsample_nearest_exact1d.h"
#include "aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnn_upsample_nearest_exact2d.h"
#include "aclnn_upsample_nearest_exact2d_backward.h"
#include "aclnn_upsample_nearest_exact3d.h"
#include "aclnn_upsample_nearest_exact3d_backward.h"

#endif  // ACLNNOP_ACLNN_OPS_CV_H_
