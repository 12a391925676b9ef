#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "common/function_ref.h"

namespace cairn {

// Threads that help whoever has work. They are made when first needed, and where the system refuses one the
// work goes on with those there are; oneTBB would end the process. Nothing here is shared with another crew,
// so a child of fork() simply makes its own.
class Crew {
 public:
  // The caller is one of `threads`.
  explicit Crew(int threads);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // Calls body(0) … body(tasks - 1), each exactly once, on the caller and on helpers that are free. Throws
  // the first exception of a body; tasks that had not begun then never do.
  void run(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

 private:
  struct Job;
  struct Shared;

  const int threads_;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace cairn
