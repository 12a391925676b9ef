// A program may bring its own declarations of the opaque types.
#include <cstdint>

#define ACLNN_META
struct aclOpExecutor;
struct aclTensor;
struct aclScalar;
struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;
struct aclTensorList;
struct aclScalarList;
using aclnnStatus = std::int32_t;
enum { OK = 0 };

#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_max_unpool3d_backward.h"

aclnnStatus (*destroy)(const aclTensor*) = aclDestroyTensor;
