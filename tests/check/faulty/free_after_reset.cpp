// memory_after_reset, warning: memory is freed after its device was reset
#include "program.h"

int main() {
  must(aclInit(nullptr));
  must(aclrtSetDevice(0));
  void* memory = nullptr;
  must(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));  // earlier
  must(aclrtMemset(memory, 64, 0, 64));
#ifdef FIXED
  must(aclrtFree(memory));
  must(aclrtResetDevice(0));
#else
  must(aclrtResetDevice(0));
  must(aclrtFree(memory));  // here
#endif
  must(aclFinalize());
}
