#pragma once

#include <string>

#include "backend/cpu/job.h"

namespace cairn {

// The OpenMP runtime that the process has loaded, GCC's, LLVM's or Intel's: all of them have GCC's entry. A
// team belongs to the thread that forks it, and its threads spin for a while after each use, so that whoever
// computes beside them with threads of its own waits for a core.
class OpenMp {
 public:
  // The one the program has in use; null if there is none.
  static const OpenMp* loaded();
  // The same, or else the first that can be opened.
  static const OpenMp* open();

  // "libgomp.so.1"
  const std::string& name() const { return name_; }
  // Whether the calling thread is one that teams belong to: not one of ours, not within a parallel region.
  bool serves_this_thread() const;
  // As many threads as the program wants: OMP_NUM_THREADS, torch.set_num_threads.
  int team_size() const { return max_threads_(); }
  // False in a child of fork(), where the runtime would wait for the threads that its parent had.
  static bool can_fork();
  // Whether the process has as many threads as the calling thread's team would; as good a sign as there is
  // that the team is there. Where it is not, ours are the cheaper ones to make.
  bool seems_awake() const;

  // The caller works on the job, and so do up to `helpers` of its team.
  void run(Job& job, int helpers) const;

 private:
  using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
  using Ask = int (*)();

  OpenMp(void* library, Parallel parallel);
  static const OpenMp* find(void* library);
  static const OpenMp* find_by_name(int flags);

  std::string name_;
  Parallel parallel_;
  Ask max_threads_;
  Ask level_;
};

}  // namespace cairn
