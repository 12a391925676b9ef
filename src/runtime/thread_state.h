#pragma once

#include <deque>
#include <string>

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
  const State* owner = nullptr;
  void* context = nullptr;  // the current context's handle; it may have gone stale
  Status last_error = 0;
  ThreadTexts* texts = nullptr;
};

ThreadState& thread_state();
// Null at the very end of a thread, when destructors of the program may still call.
ThreadTexts* thread_texts();

}  // namespace cairn
