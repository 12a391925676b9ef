// leaked_event, warning: an event is never destroyed
#include "program.h"

int main() {
  Device device;
  aclrtEvent event = nullptr;
  must(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC));  // here
#ifdef FIXED
  must(aclrtDestroyEvent(event));
#endif
}
