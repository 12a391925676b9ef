// leaked_context, warning: a context is never destroyed
#include "program.h"

int main() {
  Device device;
  aclrtContext context = nullptr;
  must(aclrtCreateContext(&context, 0));  // here
#ifdef FIXED
  must(aclrtDestroyContext(context));
#endif
}
