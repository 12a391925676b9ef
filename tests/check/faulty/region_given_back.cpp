// use_of_freed_memory, error: a tensor over a part of a pool that has been given back
#include "mstx/ms_tools_ext.h"
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory pool(4096), result(1024);
  pool.fill(0);
  const mstxMemVirtualRangeDesc_t whole = {0, pool.data, pool.size};
  const mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                         MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &whole};
  const mstxMemHeapHandle_t heap = mstxMemHeapRegister(nullptr, &description);
  const mstxMemVirtualRangeDesc_t part = {0, pool.data, 512};
  mstxMemRegionHandle_t region = nullptr;
  const mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &part, &region};
  mstxMemRegionsRegister(nullptr, &batch);
  mstxMemRegionRef_t reference;
  reference.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE;
  reference.handle = region;
  const mstxMemRegionsUnregisterBatch_t back = {1, &reference};

  Tensor self(pool.data, 128), out(result.data, 256);
  Twice call(self, out, 128);
#ifdef FIXED
  call.run(stream);
  mstxMemRegionsUnregister(nullptr, &back);
#else
  mstxMemRegionsUnregister(nullptr, &back);                                      // earlier
  must(aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream));  // here
#endif
  stream.wait();
  mstxMemHeapUnregister(nullptr, heap);
}
