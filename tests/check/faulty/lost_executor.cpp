// leaked_executor, warning: phase 1 without phase 2
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);  // here

#ifndef FIXED
  must(call.plan(self, out));
#endif
  call.run(stream);
  stream.wait();
}
