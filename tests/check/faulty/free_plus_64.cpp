// free_of_interior_pointer, error: the address of a part of a block
#include "program.h"

int main() {
  Device device;
  Memory memory(256);  // earlier
  memory.fill(0);
#ifndef FIXED
  aclrtFree(static_cast<char*>(memory.data) + 64);  // here
#endif
}
