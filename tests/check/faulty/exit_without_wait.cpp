// work_never_waited_for, warning: the program ends with work under way
// under skip=leaks
#include "program.h"

int main() {
  must(aclInit(nullptr));
  must(aclrtSetDevice(0));
  void* memory = nullptr;
  must(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  must(aclrtMemsetAsync(memory, 64, 0, 64, nullptr));  // here
#ifdef FIXED
  must(aclrtSynchronizeStream(nullptr));
#endif
  // Neither is the memory freed nor the device reset: that would wait.
}
