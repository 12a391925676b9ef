// leaked_tensor_list, warning: a list is never destroyed, and its tensors with it
#include "program.h"

int main() {
  Device device;
  Memory memory(64);
  memory.fill(0);
  const aclTensor* const elements[] = {row(memory.data, 4), row(memory.data, 8)};
  aclTensorList* list = aclCreateTensorList(elements, 2);  // here
#ifdef FIXED
  must(aclDestroyTensorList(list));
#endif
  (void)list;
}
