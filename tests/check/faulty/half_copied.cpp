// uninitialised_read, error: elements counted as bytes: a part of the data is uploaded
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const std::vector<float> host(64, 1.0F);
  Memory values(64 * sizeof(float));  // earlier
  Memory result(128 * sizeof(float));
#ifdef FIXED
  values.upload(host.data(), host.size() * sizeof(float));
#else
  values.upload(host.data(), host.size());
#endif
  Tensor self(values.data, 64), out(result.data, 128);
  Twice call(self, out, 64);
  call.run(stream);  // here
  stream.wait();
}
