// workspace_too_small, error: half of what phase 1 asked for
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
#ifndef FIXED
  call.size /= 2;
#endif
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
