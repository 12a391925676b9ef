// race_between_streams, error: one stream overwrites what another still reads
#include "program.h"

int main() {
  Device device;
  Stream first, second;
  Event ready;
  Memory a(4 * sizeof(float)), b(8 * sizeof(float)), c(16 * sizeof(float));
  a.fill(0);
  Tensor in(a.data, 4), middle(b.data, 8), out(c.data, 16);
  Twice one(in, middle, 4), two(middle, out, 8);

  one.run(first);
  first.wait();
  two.run(first);  // earlier
#ifdef FIXED
  must(aclrtRecordEvent(ready, first));
  must(aclrtStreamWaitEvent(second, ready));
#endif
  must(aclrtMemsetAsync(b.data, b.size, 0, b.size, second));  // here
  first.wait();
  second.wait();
}
