// host_memory_as_tensor, error: memory of aclrtMallocHost as a tensor
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Pinned host(4 * sizeof(float));  // earlier
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.upload(host.data, values.size);
#ifdef FIXED
  Tensor self(values.data, 4);
#else
  Tensor self(host.data, 4);
#endif
  Tensor out(result.data, 8);
  Twice call(self, out, 4);
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
