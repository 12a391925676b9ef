// host_touches_device_memory, error: memcpy in the place of aclrtMemcpy
#include <cstring>

#include "program.h"

int main() {
  Device device;
  Memory memory(1024);  // earlier
  const std::vector<float> host(256, 1.0F);
#ifdef FIXED
  memory.upload(host.data(), 1024);
#else
  std::memcpy(memory.data, host.data(), 1024);  // here
#endif
}
