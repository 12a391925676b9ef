// On the paths of CANN's recipes (include, include/aclnn, include/aclnnop) programs leave out the folder.
#include "acl/acl.h"
#include "acl_meta.h"
#include "aclnn_base.h"
#include "aclnn_max_pool2d_with_indices_backward.h"
#include "aclnn_max_pool3d_with_argmax_backward.h"
#include "aclnn_max_unpool3d_backward.h"
#include "aclnn_ops_cv.h"
#include "aclnn_ops_nn.h"
#include "aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"
#include "aclnnop/level2/aclnn_max_unpool3d_backward.h"
#include "level2/aclnn_upsample_nearest_3d_backward.h"
#include "opdev/op_errno.h"

static_assert(ACLNN_ERR_PARAM_INVALID == 161002, "reached through the aclnn folder");
