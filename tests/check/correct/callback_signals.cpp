// A host function says that the work before it is done.
#include <condition_variable>
#include <mutex>

#include "program.h"

static std::mutex mutex;
static std::condition_variable changed;
static bool done = false;

static void signal_done(void*) {
  const std::lock_guard<std::mutex> lock(mutex);
  done = true;
  changed.notify_all();
}

int main() {
  Device device;
  Stream stream;
  Memory memory(1 << 20);
  must(aclrtMemsetAsync(memory.data, memory.size, 1, memory.size, stream));
  must(aclrtLaunchHostFunc(stream, signal_done, nullptr));
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [] { return done; });
  }
  must(aclrtFree(memory.release()));
  stream.wait();
}
