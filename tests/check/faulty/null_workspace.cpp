// workspace_too_small, error: no workspace, whatever phase 1 asks for
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
#ifdef FIXED
  call.run(stream);
#else
  aclnnUpsampleNearest3d(nullptr, 0, call.executor, stream);  // here
#endif
  stream.wait();
}
