// The PyTorch adapter for Ascend looks these up by name before it calls an operator. They manage memory pools
// and an executor cache that this library has no need of; "cannot use the cache" makes the adapter take the
// plain path.

#include <cstddef>
#include <cstdint>

#include "aclnn/acl_meta.h"

#define CAIRN_EXPORT __attribute__((visibility("default")))

extern "C" {

CAIRN_EXPORT int InitHugeMemThreadLocal(void* /*config*/, bool /*enable*/) { return OK; }
CAIRN_EXPORT void UnInitHugeMemThreadLocal(void* /*config*/, bool /*enable*/) {}
CAIRN_EXPORT void ReleaseHugeMem(void* /*config*/, bool /*enable*/) {}

CAIRN_EXPORT bool CanUsePTACache(const char* /*operator_name*/) { return false; }
CAIRN_EXPORT void InitPTACacheThreadLocal() {}
CAIRN_EXPORT void UnInitPTACacheThreadLocal() {}
CAIRN_EXPORT void SetPTAHashKey(std::uint64_t /*key*/) {}
CAIRN_EXPORT void SetPTACacheHashKey(std::uint8_t* /*key*/, std::size_t /*length*/) {}
CAIRN_EXPORT void AddTensorAddrToCachedList(void* /*address*/) {}

CAIRN_EXPORT aclOpExecutor* PTAGetExecCache(std::uint64_t /*key*/, std::uint64_t* /*workspace_size*/) {
  return nullptr;
}
CAIRN_EXPORT aclOpExecutor* PTAFindExecCache(std::uint8_t* /*key*/, std::size_t /*length*/,
                                             std::uint64_t* /*workspace_size*/) {
  return nullptr;
}

}  // extern "C"
