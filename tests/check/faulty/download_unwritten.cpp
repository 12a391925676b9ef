// uninitialised_copy_to_host, warning: memory is fetched that nothing has written
#include "program.h"

int main() {
  Device device;
  Memory memory(256);  // earlier
#ifdef FIXED
  memory.fill(0);
#endif
  std::vector<char> host(256);
  must(aclrtMemcpy(host.data(), 256, memory.data, 256, ACL_MEMCPY_DEVICE_TO_HOST));  // here
}
