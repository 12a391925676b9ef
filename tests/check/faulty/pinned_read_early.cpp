// read_before_synchronise, error: the result is read from pinned memory while the copy is under way
// CPU device
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const size_t size = 1000 * sizeof(float);
  Memory scores(size);
  Pinned host(size);
  scores.fill(0);
  must(aclrtMemcpyAsync(host.data, size, scores.data, size, ACL_MEMCPY_DEVICE_TO_HOST, stream));  // earlier
#ifdef FIXED
  stream.wait();
#endif
  std::printf("%g\n", host.floats()[0]);  // here
  stream.wait();
}
