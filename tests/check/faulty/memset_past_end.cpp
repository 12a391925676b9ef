// copy_outside_allocation, error: as many elements as bytes
#include "program.h"

int main() {
  Device device;
  Memory memory(1000);  // earlier
#ifdef FIXED
  must(aclrtMemset(memory.data, 1000, 0, 1000));
#else
  aclrtMemset(memory.data, 4000, 0, 4000);  // here
#endif
}
