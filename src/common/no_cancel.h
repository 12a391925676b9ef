#pragma once

#include <pthread.h>

namespace cairn {

// While it lives, a pthread_cancel of this thread waits: a thread that ended in the middle of a call would
// leave locks held and work half queued. It takes effect at the program's own next cancellation point.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace cairn
