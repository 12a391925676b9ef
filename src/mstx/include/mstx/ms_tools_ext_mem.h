// The memory pool of a program: a heap is a block that it divides, a region a part that it has given out.
#ifndef MS_TOOLS_EXT_MEM_H
#define MS_TOOLS_EXT_MEM_H

#include "mstx/ms_tools_ext.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct mstxMemHeap_st mstxMemHeap_t;
typedef mstxMemHeap_t* mstxMemHeapHandle_t;
typedef struct mstxMemRegion_st mstxMemRegion_t;
typedef mstxMemRegion_t* mstxMemRegionHandle_t;

typedef enum mstxMemType {
  MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0,  // described by an mstxMemVirtualRangeDesc_t
} mstxMemType;

typedef enum mstxMemHeapUsageType {
  MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0,
} mstxMemHeapUsageType;

typedef struct mstxMemVirtualRangeDesc_st {
  uint32_t deviceId;
  const void* ptr;
  uint64_t size;
} mstxMemVirtualRangeDesc_t;

typedef struct mstxMemHeapDesc_st {
  mstxMemHeapUsageType usage;
  mstxMemType type;
  const void* typeSpecificDesc;
} mstxMemHeapDesc_t;

typedef struct mstxMemRegionsRegisterBatch_st {
  mstxMemHeapHandle_t heap;
  mstxMemType regionType;
  size_t regionCount;
  const void* regionDescArray;
  mstxMemRegionHandle_t* regionHandleArrayOut;
} mstxMemRegionsRegisterBatch_t;

typedef enum mstxMemRegionRefType {
  MSTX_MEM_REGION_REF_TYPE_POINTER = 0,
  MSTX_MEM_REGION_REF_TYPE_HANDLE,
} mstxMemRegionRefType;

typedef struct mstxMemRegionRef_st {
  mstxMemRegionRefType refType;
  union {
    const void* pointer;
    mstxMemRegionHandle_t handle;
  };
} mstxMemRegionRef_t;

typedef struct mstxMemRegionsUnregisterBatch_st {
  size_t refCount;
  const mstxMemRegionRef_t* refArray;
} mstxMemRegionsUnregisterBatch_t;

// Null when no tool watches, or the description is none.
MSTX_API mstxMemHeapHandle_t mstxMemHeapRegister(mstxDomainHandle_t domain, const mstxMemHeapDesc_t* desc);
MSTX_API void mstxMemHeapUnregister(mstxDomainHandle_t domain, mstxMemHeapHandle_t heap);
MSTX_API void mstxMemRegionsRegister(mstxDomainHandle_t domain, const mstxMemRegionsRegisterBatch_t* desc);
MSTX_API void mstxMemRegionsUnregister(mstxDomainHandle_t domain,
                                       const mstxMemRegionsUnregisterBatch_t* desc);

#if defined(__cplusplus)
}
#endif

#endif
