// region_too_tight, note: parts of a pool without the 32 bytes between them that CANN asks for
#include "mstx/ms_tools_ext.h"
#include "program.h"

int main() {
  Device device;
  Memory pool(4096);
  pool.fill(0);
  const mstxMemVirtualRangeDesc_t whole = {0, pool.data, pool.size};
  const mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                         MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &whole};
  const mstxMemHeapHandle_t heap = mstxMemHeapRegister(nullptr, &description);
#ifdef FIXED
  const size_t distance = 640;
#else
  const size_t distance = 512;
#endif
  const mstxMemVirtualRangeDesc_t parts[] = {{0, pool.data, 512},
                                             {0, static_cast<char*>(pool.data) + distance, 512}};
  const mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 2, parts, nullptr};
  mstxMemRegionsRegister(nullptr, &batch);  // here
  mstxMemHeapUnregister(nullptr, heap);
}
