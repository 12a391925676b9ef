// forbidden_in_callback, warning: a host function waits for an event
#include "program.h"

static void wait_for(void* event) {
#ifndef FIXED
  aclrtSynchronizeEvent(event);  // here
#endif
  (void)event;
}

int main() {
  Device device;
  Stream stream, other;
  Event event;
  must(aclrtRecordEvent(event, other));
  must(aclrtLaunchHostFunc(stream, wait_for, event.handle));
  stream.wait();
}
