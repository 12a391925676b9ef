// Two streams, ordered by events both ways.
#include "program.h"

int main() {
  Device device;
  Stream first, second;
  Event forth, back;
  Memory a(64 * sizeof(float)), b(128 * sizeof(float)), c(256 * sizeof(float));
  a.fill(0);
  for (int round = 0; round < 8; ++round) {
    Tensor in(a.data, 64), middle(b.data, 128), out(c.data, 256);
    Twice one(in, middle, 64), two(middle, out, 128);
    one.run(first);
    must(aclrtRecordEvent(forth, first));
    must(aclrtStreamWaitEvent(second, forth));
    two.run(second);
    must(aclrtRecordEvent(back, second));
    must(aclrtStreamWaitEvent(first, back));
    second.wait();  // the workspaces go with the calls
  }
  std::vector<float> host(256);
  must(aclrtMemcpy(host.data(), c.size, c.data, c.size, ACL_MEMCPY_DEVICE_TO_HOST));
  std::printf("%g\n", host[255]);
}
