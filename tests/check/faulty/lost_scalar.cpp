// leaked_scalar, note: a scalar is never destroyed
#include "program.h"

int main() {
  float value = 1;
  aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);  // here
#ifdef FIXED
  must(aclDestroyScalar(scalar));
#endif
  (void)scalar;
}
