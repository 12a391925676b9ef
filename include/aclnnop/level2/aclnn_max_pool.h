#ifndef ACLNNOP_LEVEL2_ACLNN_MAX_POOL_H_
#define ACLNNOP_LEVEL2_ACLNN_MAX_POOL_H_

#include "../aclnn_max_pool.h"

#endif  // ACLNNOP_LEVEL2_ACLNN_MAX_POOL_H_
