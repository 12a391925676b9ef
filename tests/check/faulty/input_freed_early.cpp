// use_after_free_in_stream, error: an input is freed before the stream is waited for
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

  call.run(stream);  // earlier
#ifdef FIXED
  stream.wait();
#endif
  must(aclrtFree(values.release()));  // here
  stream.wait();
}
