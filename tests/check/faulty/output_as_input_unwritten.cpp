// uninitialised_read, error: an operator reads memory that nothing has written
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float));  // earlier
  Memory result(8 * sizeof(float));
#ifdef FIXED
  values.fill(0);
#endif
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);
  call.run(stream);  // here
  stream.wait();
}
