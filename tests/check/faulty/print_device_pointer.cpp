// host_touches_device_memory, error: the result is read where it lies
#include "program.h"

int main() {
  Device device;
  Memory memory(1024);  // earlier
  memory.fill(0);
#ifdef FIXED
  float value = 0;
  must(aclrtMemcpy(&value, sizeof value, memory.floats() + 4, sizeof value, ACL_MEMCPY_DEVICE_TO_HOST));
#else
  const float value = memory.floats()[4];  // here
#endif
  std::printf("%g\n", value);
}
