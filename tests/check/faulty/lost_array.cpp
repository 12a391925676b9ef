// leaked_array, note: an array is never destroyed
#include "program.h"

int main() {
  const int64_t sizes[] = {1, 2};
  aclIntArray* array = aclCreateIntArray(sizes, 2);  // here
#ifdef FIXED
  must(aclDestroyIntArray(array));
#endif
  (void)array;
}
