// A stream that says it is complete lets the memory be freed.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Memory memory(1 << 20);
  must(aclrtMemsetAsync(memory.data, memory.size, 1, memory.size, stream));
  aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
  while (status != ACL_STREAM_STATUS_COMPLETE) must(aclrtStreamQuery(stream, &status));
  must(aclrtFree(memory.release()));
}
