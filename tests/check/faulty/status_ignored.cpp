// phase1_refused, warning: phase 1 refuses its arguments, and nobody looks
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  result.fill(0);
#ifdef FIXED
  const int64_t width = 8;
#else
  const int64_t width = 7;
#endif
  Tensor self(values.data, 4), out(result.data, width);
  Ints size({1, 1, 8});
  Phases call;
  aclnnUpsampleNearest3dGetWorkspaceSize(self, size, 0, 0, 0, out, &call.size, &call.executor);  // here
  if (call.executor != nullptr) must(aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream));
  stream.wait();
}
