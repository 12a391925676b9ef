// tensor_outside_its_allocation, error: a tensor leaves the part of a pool that was given out for it
#include "mstx/ms_tools_ext.h"
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory pool(4096);
  pool.fill(0);
  const mstxMemVirtualRangeDesc_t whole = {0, pool.data, pool.size};
  const mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                         MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &whole};
  const mstxMemHeapHandle_t heap = mstxMemHeapRegister(nullptr, &description);
  char* const begin = static_cast<char*>(pool.data);
#ifdef FIXED
  const mstxMemVirtualRangeDesc_t parts[] = {{0, begin, 512}, {0, begin + 1024, 1024}};
#else
  const mstxMemVirtualRangeDesc_t parts[] = {{0, begin, 512}, {0, begin + 1024, 512}};
#endif
  const mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 2, parts, nullptr};
  mstxMemRegionsRegister(nullptr, &batch);  // earlier

  Tensor self(begin, 128), out(begin + 1024, 256);
  Twice call(self, out, 128);
  must(aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream));  // here
  stream.wait();
  mstxMemHeapUnregister(nullptr, heap);
}
