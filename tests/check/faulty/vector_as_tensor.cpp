// host_memory_as_tensor, error: the data of a vector as a tensor
#include "program.h"

int main() {
  Device device;
  Stream stream;
  std::vector<float> host(4, 1.0F);
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.upload(host.data(), values.size);
#ifdef FIXED
  Tensor self(values.data, 4);
#else
  Tensor self(host.data(), 4);
#endif
  Tensor out(result.data, 8);
  Twice call(self, out, 4);
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
