// A pool that tells mstx of its parts, gives them back while a stream still uses them, and hands them out
// again in the order of that stream.
#include "mstx/ms_tools_ext.h"
#include "program.h"

struct Pool {
  Pool() : memory(1 << 16) {
    const mstxMemVirtualRangeDesc_t whole = {0, memory.data, memory.size};
    const mstxMemHeapDesc_t description = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                                           MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &whole};
    heap = mstxMemHeapRegister(domain, &description);
  }
  ~Pool() {
    mstxMemHeapUnregister(domain, heap);
    mstxDomainDestroy(domain);
  }
  float* take(size_t place, size_t bytes) {
    float* const part = memory.floats() + place * 1024;
    const mstxMemVirtualRangeDesc_t range = {0, part, bytes};
    const mstxMemRegionsRegisterBatch_t batch = {heap, MSTX_MEM_TYPE_VIRTUAL_ADDRESS, 1, &range, nullptr};
    mstxMemRegionsRegister(domain, &batch);
    return part;
  }
  void give_back(const float* part) {
    mstxMemRegionRef_t reference;
    reference.refType = MSTX_MEM_REGION_REF_TYPE_POINTER;
    reference.pointer = part;
    const mstxMemRegionsUnregisterBatch_t batch = {1, &reference};
    mstxMemRegionsUnregister(domain, &batch);
  }
  Memory memory;
  mstxDomainHandle_t domain = mstxDomainCreateA("pool");
  mstxMemHeapHandle_t heap = nullptr;
};

int main() {
  Device device;
  Stream stream;
  Pool pool;
  std::vector<Twice*> calls;
  for (int i = 0; i < 20; ++i) {
    const mstxRangeId range = mstxRangeStartA("step", stream);
    const int64_t width = 16 + 8 * i;
    float* const from = pool.take(0, width * 4);
    float* const to = pool.take(1, width * 8);
    must(aclrtMemsetAsync(from, width * 4, i, width * 4, stream));
    Tensor self(from, width), out(to, 2 * width);
    calls.push_back(new Twice(self, out, width));
    calls.back()->run(stream);
    pool.give_back(from);
    pool.give_back(to);
    mstxMarkA("queued", nullptr);
    mstxRangeEnd(range);
  }
  stream.wait();
  for (Twice* call : calls) delete call;
  std::vector<char> seen(2 * (16 + 8 * 19) * 4);
  must(aclrtMemcpy(seen.data(), seen.size(), pool.memory.floats() + 1024, seen.size(),
                   ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%d %d\n", seen.front(), seen.back());
}
