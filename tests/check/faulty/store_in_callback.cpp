// host_touches_device_memory, error: a host function stores to device memory
#include "program.h"

static void store(void* memory) {
#ifndef FIXED
  *static_cast<float*>(memory) = 1;  // here
#endif
  (void)memory;
}

int main() {
  Device device;
  Stream stream;
  Memory memory(1024);  // earlier
  memory.fill(0);
  must(aclrtLaunchHostFunc(stream, store, memory.data));
  stream.wait();
}
