// stream_of_another_context, error: a stream is destroyed while another context is current, as in llama.cpp
// issue 9250
#include "program.h"

int main() {
  Device device;
  aclrtContext mine = nullptr, other = nullptr;
  aclrtStream stream = nullptr;
  must(aclrtGetCurrentContext(&mine));
  must(aclrtCreateStream(&stream));
  must(aclrtCreateContext(&other, 0));  // earlier
#ifdef FIXED
  must(aclrtSetCurrentContext(mine));
#endif
  aclrtDestroyStream(stream);  // here
  must(aclrtSetCurrentContext(mine));
  must(aclrtDestroyContext(other));
}
