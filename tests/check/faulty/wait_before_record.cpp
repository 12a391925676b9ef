// wait_for_unrecorded_event, warning: a stream waits for an event that nobody has recorded
#include "program.h"

int main() {
  Device device;
  Stream first, second;
  Event ready;
  Memory memory(64);
#ifdef FIXED
  must(aclrtMemsetAsync(memory.data, 64, 0, 64, first));
  must(aclrtRecordEvent(ready, first));
#endif
  must(aclrtStreamWaitEvent(second, ready));  // here
#ifndef FIXED
  must(aclrtMemsetAsync(memory.data, 64, 0, 64, first));
  must(aclrtRecordEvent(ready, first));
#endif
  first.wait();
  second.wait();
}
