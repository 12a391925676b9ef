// leaked_host_memory, warning: pinned memory is never freed
#include "program.h"

int main() {
  Device device;
  void* memory = nullptr;
  must(aclrtMallocHost(&memory, 64));  // here
#ifdef FIXED
  must(aclrtFreeHost(memory));
#endif
}
