#pragma once

#include "backend/backend.h"
#include "backend/cpu/crew.h"
#include "backend/kernel.h"

namespace cairn {

// The threads all streams of the CPU device share, so that many streams do not oversubscribe the machine.
class Pool final : public Workers {
 public:
  explicit Pool(int threads) : threads_(threads), crew_(threads) {}

  int count() const override { return threads_; }
  void run(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) override { crew_.run(tasks, body); }

  void copy(const RowCopy& rows);
  void fill(const Fill& fill);

 private:
  // Calls body(begin, bytes) for shares that together are 0 … bytes.
  void share_out(std::size_t bytes, FunctionRef<void(std::size_t, std::size_t)> body);

  const int threads_;
  Crew crew_;
};

}  // namespace cairn
