// use_of_freed_memory, error: a tensor over memory that has been freed
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory values(4 * sizeof(float)), result(8 * sizeof(float));
  values.fill(0);
  Tensor self(values.data, 4), out(result.data, 8);
  Twice call(self, out, 4);

#ifndef FIXED
  must(aclrtFree(values.release()));  // earlier
#endif
  aclnnUpsampleNearest3d(call.space(), call.size, call.executor, stream);  // here
  stream.wait();
}
