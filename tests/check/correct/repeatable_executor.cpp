// One executor, new addresses in each round.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory a(64 * sizeof(float)), b(64 * sizeof(float)), c(128 * sizeof(float));
  a.fill(0);
  b.fill(0);
  Tensor in(a.data, 64), out(c.data, 128);
  Twice call(in, out, 64);
  must(aclSetAclOpExecutorRepeatable(call.executor));
  for (int round = 0; round < 6; ++round) {
    must(aclSetInputTensorAddr(call.executor, 0, in, round % 2 == 0 ? a.data : b.data));
    call.run(stream);
  }
  stream.wait();
  must(aclDestroyAclOpExecutor(call.executor));
}
