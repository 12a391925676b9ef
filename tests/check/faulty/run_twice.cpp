// executor_used_twice, error: phase 2 once more with the same executor
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
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // earlier
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
#ifdef FIXED
  must(aclDestroyAclOpExecutor(call.executor));
#endif
}
