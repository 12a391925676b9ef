// partly_written_element, warning: the last element is uploaded in part
#include "program.h"

int main() {
  Device device;
  Stream stream;
  const std::vector<float> host(4, 1.0F);
  Memory values(4 * sizeof(float));  // earlier
  Memory result(8 * sizeof(float));
#ifdef FIXED
  values.upload(host.data(), 4 * sizeof(float));
#else
  values.upload(host.data(), 4 * sizeof(float) - 1);
#endif
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
  call.run(stream);  // here
  stream.wait();
}
