// An event that is polled until it is complete lets the memory be freed.
#include "program.h"

int main() {
  Device device;
  Stream stream;
  Event done;
  Memory memory(1 << 20);
  must(aclrtMemsetAsync(memory.data, memory.size, 1, memory.size, stream));
  must(aclrtRecordEvent(done, stream));
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_NOT_READY;
  while (status != ACL_EVENT_RECORDED_STATUS_COMPLETE) must(aclrtQueryEventStatus(done, &status));
  must(aclrtFree(memory.release()));
}
