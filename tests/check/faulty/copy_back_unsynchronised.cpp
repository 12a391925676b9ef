// read_before_synchronise, error: the result is fetched before the stream is waited for
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

  float fetched[8];
  call.run(stream);  // earlier
#ifdef FIXED
  stream.wait();
#endif
  must(aclrtMemcpy(fetched, sizeof fetched, result.data, sizeof fetched, ACL_MEMCPY_DEVICE_TO_HOST));  // here
  stream.wait();
}
