// race_between_streams, error: operators on two streams are given one workspace
#include "program.h"

int main() {
  Device device;
  Stream first, second;
  Memory values(4 * sizeof(float)), one(8 * sizeof(float)), two(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(one.data, 8), other(two.data, 8);
  Twice here(self, out, 4), there(self, other, 4);

  here.run(first);  // earlier
#ifdef FIXED
  void* const workspace = there.space();
#else
  void* const workspace = here.space();
#endif
  aclnnUpsampleNearest3d(workspace, there.size, there.executor, second);  // here
  first.wait();
  second.wait();
}
