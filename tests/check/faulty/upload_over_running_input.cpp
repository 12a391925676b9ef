// write_before_synchronise, error: the next input is uploaded while the last one is being read
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

  const float next[4] = {1, 2, 3, 4};
  call.run(stream);  // earlier
#ifdef FIXED
  stream.wait();
#endif
  must(aclrtMemcpy(values.data, sizeof next, next, sizeof next, ACL_MEMCPY_HOST_TO_DEVICE));  // here
  stream.wait();
}
