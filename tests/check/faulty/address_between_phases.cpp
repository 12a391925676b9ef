// tensor_changed_between_phases, warning: a tensor gets another address after phase 1
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

#ifndef FIXED
  must(aclSetRawTensorAddr(self, values.data));  // earlier
#endif
  call.run(stream);  // here
  stream.wait();
}
