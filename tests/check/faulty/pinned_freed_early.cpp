// use_after_free_in_stream, error: the source of a copy is freed before the copy is waited for
#include "program.h"

int main() {
  Device device;
  Stream stream;
  void* host = nullptr;
  must(aclrtMallocHost(&host, 64));
  Memory memory(64);
  must(aclrtMemcpyAsync(memory.data, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, stream));  // earlier
#ifdef FIXED
  stream.wait();
#endif
  must(aclrtFreeHost(host));  // here
  stream.wait();
}
