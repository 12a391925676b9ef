#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "backend/kernel.h"
#include "common/status.h"

namespace cairn {

class State;

// The error texts of a thread, or of the process, since the last aclGetRecentErrMsg; newest first.
class PendingText {
 public:
  void add(std::string text);
  std::string take();

 private:
  std::deque<std::string> texts_;
};

struct ThreadTexts {
  PendingText pending;
  std::string handed_out;  // what the last aclGetRecentErrMsg returned
};

// What the API keeps per thread. Belongs to one State: a child of fork() starts with a fresh one.
struct ThreadState {
  // The last operator it queued; its name is null when there is none.
  struct LastCall {
    Kernel kernel = {};
    const char* candidate = nullptr;
    const char* product = nullptr;
    const char* backend = nullptr;
    std::int32_t device = 0;
  };

  const State* owner = nullptr;
  void* context = nullptr;  // the current context's handle; it may have gone stale
  Status last_error = 0;
  LastCall last_call = {};
  ThreadTexts* texts = nullptr;
};

ThreadState& thread_state();
// Null at the very end of a thread, when destructors of the program may still call.
ThreadTexts* thread_texts();

}  // namespace cairn
