#pragma once

#include <cstdint>
#include <memory>

#include "backend/cpu/job.h"

namespace cairn {

// Threads that help whoever has work. They are made when first needed, and where the system refuses one the
// work goes on with those there are; oneTBB would end the process. Nothing here is shared with another crew,
// so a child of fork() simply makes its own.
class Crew {
 public:
  // At most `lanes` threads are at work at any time, callers included.
  explicit Crew(int lanes);
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;
  ~Crew();

  // A caller's place among those at work: many streams do not oversubscribe the machine.
  class Caller {
   public:
    // Waits for a free lane.
    explicit Caller(Crew& crew);
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller();

    // Whether nobody else was at work.
    bool is_alone() const { return alone_; }
    // As many more lanes as are free, up to `wanted`; they are given back with the caller's own.
    int take_more(int wanted);
    // The caller works on the job, and so do up to `helpers` others.
    void run(Job& job, int helpers);

   private:
    Crew& crew_;
    int lanes_ = 1;
    bool alone_ = false;
  };

 private:
  struct Shared;

  const std::shared_ptr<Shared> shared_;
};

}  // namespace cairn
