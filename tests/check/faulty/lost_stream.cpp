// leaked_stream, warning: a stream is never destroyed, nor its device reset
#include "program.h"

int main() {
  must(aclInit(nullptr));
  must(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  must(aclrtCreateStream(&stream));  // here
#ifdef FIXED
  must(aclrtDestroyStream(stream));
#endif
}
