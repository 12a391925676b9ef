// wrong_handle_type, error: an aclIntArray where a tensor belongs
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  result.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Ints size({1, 1, 8});
  Phases call;
#ifdef FIXED
  const aclTensor* given = self;
#else
  const aclTensor* given = reinterpret_cast<const aclTensor*>(size.handle);
#endif
  aclnnUpsampleNearest3dGetWorkspaceSize(given, size, 0, 0, 0, out, &call.size, &call.executor);  // here
#ifdef FIXED
  must(aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream));
  stream.wait();
#endif
}
