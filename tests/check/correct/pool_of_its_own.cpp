// One block, divided by the program.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory pool(1 << 16);
  char* const begin = static_cast<char*>(pool.data);
  const std::vector<float> host(64, 2.0F);
  must(aclrtMemcpy(begin, 1 << 16, host.data(), 256, ACL_MEMCPY_HOST_TO_DEVICE));
  Tensor in(begin, 64), middle(begin + 4096, 128), out(begin + 8192, 256);
  Twice one(in, middle, 64), two(middle, out, 128);
  one.run(stream);
  two.run(stream);
  stream.wait();
  std::vector<float> result(256);
  must(aclrtMemcpy(result.data(), 1024, begin + 8192, 1024, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%g\n", result[255]);
}
