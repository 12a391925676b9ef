// double_free, error: a block is freed twice
#include "program.h"

int main() {
  Device device;
  void* memory = nullptr;
  must(aclrtMalloc(&memory, 256, ACL_MEM_MALLOC_HUGE_FIRST));
  must(aclrtMemset(memory, 256, 0, 256));
  must(aclrtFree(memory));  // earlier
#ifndef FIXED
  aclrtFree(memory);  // here
#endif
}
