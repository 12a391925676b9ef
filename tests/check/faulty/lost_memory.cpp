// leaked_device_memory, warning: device memory is never freed
#include "program.h"

int main() {
  Device device;
  void* memory = nullptr;
  must(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));  // here
  must(aclrtMemset(memory, 64, 0, 64));
#ifdef FIXED
  must(aclrtFree(memory));
#endif
}
