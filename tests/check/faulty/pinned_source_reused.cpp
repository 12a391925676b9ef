// write_before_synchronise, error: the next batch is put where the last one is still being copied from
// CPU device
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const size_t size = 1000 * sizeof(float);
  Memory batch(size);
  Pinned host(size);
  must(aclrtMemcpyAsync(batch.data, size, host.data, size, ACL_MEMCPY_HOST_TO_DEVICE, stream));  // earlier
#ifdef FIXED
  stream.wait();
#endif
  host.floats()[17] = 1;  // here
  stream.wait();
}
