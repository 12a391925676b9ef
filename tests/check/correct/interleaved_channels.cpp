// Two streams write the even and the odd elements of one buffer.
#include "program.h"

int main() {
  Device device;
  Stream first, second;
  Memory a(16 * sizeof(float)), b(64 * sizeof(float));
  a.fill(0);
  Tensor in(a.data, 16), even(row(b.data, 32, ACL_FLOAT, 5, 0, 2)), odd(row(b.data, 32, ACL_FLOAT, 5, 1, 2));
  Twice one(in, even, 16), two(in, odd, 16);
  one.run(first);
  two.run(second);
  first.wait();
  second.wait();
  std::vector<float> host(64);
  must(aclrtMemcpy(host.data(), b.size, b.data, b.size, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%g\n", host[63]);
}
