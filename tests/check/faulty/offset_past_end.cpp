// tensor_outside_its_allocation, error: an offset in elements that was meant in bytes
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(64 * sizeof(float));  // earlier
  values.fill(0);
  Memory result(8 * sizeof(float));
#ifdef FIXED
  const int64_t offset = 32;
#else
  const int64_t offset = 32 * sizeof(float);
#endif
  Tensor self(row(values.data, 4, ACL_FLOAT, 5, offset));
  Tensor out(result.data, 8);
  Twice call(self, out, 4);
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
