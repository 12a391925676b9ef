// failed_call, warning: aclFinalize once too often
#include "program.h"

int main() {
  must(aclInit(nullptr));
  must(aclFinalize());
#ifndef FIXED
  aclFinalize();  // here
#endif
}
