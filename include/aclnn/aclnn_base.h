#ifndef ACLNN_ACLNN_BASE_H_
#define ACLNN_ACLNN_BASE_H_

#include "aclnn/acl_meta.h"

extern "C" {

// For programs that use nothing but operators; both live alongside aclInit and aclFinalize.
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char* configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize();

}  // extern "C"

#endif  // ACLNN_ACLNN_BASE_H_
