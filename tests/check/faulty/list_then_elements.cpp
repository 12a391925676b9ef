// double_destroy, error: a list destroys its tensors with itself
#include "program.h"

int main() {
  Device device;
  Memory memory(64);
  memory.fill(0);
  aclTensor* tensor = row(memory.data, 4);
  const aclTensor* const elements[] = {tensor};
  aclTensorList* list = aclCreateTensorList(elements, 1);
  aclDestroyTensorList(list);  // earlier
#ifndef FIXED
  aclDestroyTensor(tensor);  // here
#endif
}
