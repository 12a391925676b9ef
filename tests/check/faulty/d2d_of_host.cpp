// wrong_copy_kind, warning: device to device, from host memory
#include "program.h"

int main() {
  Device device;
  Memory memory(64);
  std::vector<char> host(64);
#ifdef FIXED
  must(aclrtMemcpy(memory.data, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE));
#else
  aclrtMemcpy(memory.data, 64, host.data(), 64, ACL_MEMCPY_DEVICE_TO_DEVICE);  // here
#endif
}
