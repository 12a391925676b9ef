// Sizes, offsets and types that cross the library's border.
#include <cstddef>
#include <type_traits>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnnop/aclnn_util.h"

#define PIN_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), #type " has " #bytes " bytes")
#define PIN_OFFSET(type, member, bytes) static_assert(offsetof(type, member) == (bytes), #type "::" #member)
#define PIN_SAME(type, other) static_assert(std::is_same<type, other>::value, #type " is " #other)

PIN_SAME(aclError, int);
PIN_SAME(aclnnStatus, int32_t);
PIN_SAME(aclFloat16, uint16_t);
PIN_SAME(aclrtStream, void*);
PIN_SAME(aclrtContext, void*);
PIN_SAME(aclrtEvent, void*);
PIN_SAME(aclrtHostFunc, void (*)(void*));
PIN_SAME(decltype(ACL_SUCCESS), const int);
PIN_SAME(decltype(ACL_ERROR_INVALID_PARAM), const int);
PIN_SAME(decltype(ACL_ERROR_GE_PARAM_INVALID), const uint32_t);
PIN_SAME(decltype(OK), const aclnnStatus);

PIN_SIZE(aclCANNPackageVersion, 512);
PIN_OFFSET(aclCANNPackageVersion, version, 0);
PIN_OFFSET(aclCANNPackageVersion, majorVersion, 128);
PIN_OFFSET(aclCANNPackageVersion, minorVersion, 192);
PIN_OFFSET(aclCANNPackageVersion, releaseVersion, 256);
PIN_OFFSET(aclCANNPackageVersion, patchVersion, 320);
PIN_OFFSET(aclCANNPackageVersion, reserved, 384);

PIN_SIZE(aclrtMallocAttribute, 12);
PIN_OFFSET(aclrtMallocAttribute, attr, 0);
PIN_OFFSET(aclrtMallocAttribute, value, 4);
PIN_SIZE(aclrtMallocConfig, 16);
PIN_OFFSET(aclrtMallocConfig, attrs, 0);
PIN_OFFSET(aclrtMallocConfig, numAttrs, 8);

PIN_SIZE(aclrtMemLocation, 8);
PIN_OFFSET(aclrtMemLocation, id, 0);
PIN_OFFSET(aclrtMemLocation, type, 4);
PIN_SIZE(aclrtPtrAttributes, 28);
PIN_OFFSET(aclrtPtrAttributes, location, 0);
PIN_OFFSET(aclrtPtrAttributes, pageSize, 8);
PIN_OFFSET(aclrtPtrAttributes, rsv, 12);

PIN_SIZE(aclrtStreamConfigHandle, 32);
PIN_OFFSET(aclrtStreamConfigHandle, workptr, 0);
PIN_OFFSET(aclrtStreamConfigHandle, workSize, 8);
PIN_OFFSET(aclrtStreamConfigHandle, flag, 16);
PIN_OFFSET(aclrtStreamConfigHandle, priority, 24);
PIN_SIZE(aclrtStreamAttrValue, 16);

// A library that defines the functions exports them; a program that includes the headers must not.
#define TEXT_OF(...) #__VA_ARGS__
#define EXPANDED(...) TEXT_OF(__VA_ARGS__)
#define EXPORTED_TEXT "__attribute__((visibility(\"default\")))"
PIN_SIZE(EXPANDED(ACLNN_API), sizeof(EXPORTED_TEXT));
#ifdef FUNC_VISIBILITY
PIN_SIZE(EXPANDED(ACL_FUNC_VISIBILITY), sizeof(EXPORTED_TEXT));
#else
PIN_SIZE(EXPANDED(ACL_FUNC_VISIBILITY), sizeof(""));
#endif

ACL_DEPRECATED void marked_deprecated();
ACL_DEPRECATED_MESSAGE("with a reason") void marked_deprecated_with_reason();

void logs_with_and_without_arguments() {
  ACL_APP_LOG(ACL_INFO, "ready");
  ACL_APP_LOG(ACL_ERROR, "%d of %s", 1, "two");
}
