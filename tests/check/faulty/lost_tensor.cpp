// leaked_tensor, warning: a tensor is never destroyed
#include "program.h"

int main() {
  Device device;
  Memory memory(64);
  memory.fill(0);
  aclTensor* tensor = row(memory.data, 4);  // here
#ifdef FIXED
  must(aclDestroyTensor(tensor));
#endif
  (void)tensor;
}
