// wrong_copy_kind, warning: host to device, where the source is the device
#include "program.h"

int main() {
  Device device;
  Memory memory(64);
  memory.fill(1);
  std::vector<char> host(64);
#ifdef FIXED
  must(aclrtMemcpy(host.data(), 64, memory.data, 64, ACL_MEMCPY_DEVICE_TO_HOST));
#else
  must(aclrtMemcpy(host.data(), 64, memory.data, 64, ACL_MEMCPY_HOST_TO_DEVICE));  // here
#endif
}
