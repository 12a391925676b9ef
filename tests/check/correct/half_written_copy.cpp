// A copy takes along what was never written; only the written half is read.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const std::vector<float> host(32, 1.0F);
  Memory a(64 * sizeof(float)), b(64 * sizeof(float)), c(64 * sizeof(float));
  a.upload(host.data(), 32 * sizeof(float));
  must(aclrtMemcpyAsync(b.data, b.size, a.data, a.size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
  Tensor in(b.data, 32), out(c.data, 64);
  Twice call(in, out, 32);
  call.run(stream);
  stream.wait();
}
