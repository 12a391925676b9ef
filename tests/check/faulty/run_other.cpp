// executor_of_another_operator, error: phase 2 of another operator
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

#ifndef FIXED
  aclnnMaxUnpool2d(call.space(), call.size, call.executor, stream);  // here
#endif
  call.run(stream);
  stream.wait();
}
