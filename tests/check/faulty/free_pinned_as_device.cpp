// free_of_foreign_memory, error: memory of aclrtMallocHost given to aclrtFree
#include "program.h"

int main() {
  Device device;
  Pinned memory(256);  // earlier
#ifndef FIXED
  aclrtFree(memory.data);  // here
#endif
}
