#pragma once

#include <pthread.h>

#include <atomic>

namespace cairn {

// A thread that Cairn made, for as long as it lives. The rest of a process's threads are the program's, and
// only those have an OpenMP team worth using.
class OwnThread {
 public:
  explicit OwnThread(const char* name) {
    pthread_setname_np(pthread_self(), name);
    t_here = true;
    g_count.fetch_add(1, std::memory_order_relaxed);
  }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;
  ~OwnThread() { g_count.fetch_sub(1, std::memory_order_relaxed); }

  static bool is_this() { return t_here; }
  static int count() { return g_count.load(std::memory_order_relaxed); }

 private:
  static inline thread_local bool t_here = false;
  static inline constinit std::atomic<int> g_count{0};
};

}  // namespace cairn
