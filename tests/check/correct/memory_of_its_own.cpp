// Registered memory stays the program's when it is unregistered, and where pinned memory was, something else
// may lie.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory memory(4096);
  std::vector<char> mine(4096, 3);
  void* seen = nullptr;
  must(aclrtHostRegister(mine.data(), mine.size(), ACL_HOST_REGISTER_MAPPED, &seen));
  must(aclrtMemcpyAsync(memory.data, 4096, mine.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  stream.wait();
  must(aclrtHostUnregister(mine.data()));
  must(aclrtMemcpy(memory.data, 4096, mine.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE));

  long sum = 0;
  for (int i = 0; i < 20; ++i) {
    { Pinned pinned(4096); }
    std::vector<char> again(4096, static_cast<char>(i));
    must(aclrtMemcpy(memory.data, 4096, again.data(), 4096, ACL_MEMCPY_HOST_TO_DEVICE));
    must(aclrtMemcpy(mine.data(), 4096, memory.data, 4096, ACL_MEMCPY_DEVICE_TO_HOST));
    sum += mine[17];
  }
  std::printf("%ld\n", sum);
}
