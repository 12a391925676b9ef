// double_destroy, error: an executor is destroyed that has run, and ended with that
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
#ifdef FIXED
  must(aclSetAclOpExecutorRepeatable(call.executor));
#endif
  must(aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream));  // earlier
  stream.wait();
  aclDestroyAclOpExecutor(call.executor);  // here
}
