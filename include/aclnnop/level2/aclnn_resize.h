#ifndef ACLNNOP_LEVEL2_ACLNN_RESIZE_H_
#define ACLNNOP_LEVEL2_ACLNN_RESIZE_H_

#include "../aclnn_resize.h"

#endif  // ACLNNOP_LEVEL2_ACLNN_RESIZE_H_
