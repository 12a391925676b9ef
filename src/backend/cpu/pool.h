#pragma once

#include <array>
#include <memory>
#include <string>

#include "backend/backend.h"
#include "backend/cpu/crew.h"
#include "backend/cpu/window.h"
#include "backend/kernel.h"

namespace cairn {

// Whose threads help: CAIRN_POOL's names.
enum class PoolKind {
  kAuto,    // the calling thread's OpenMP team where it has one, else our own
  kOwn,     // our own always
  kOpenMp,  // the calling thread's OpenMP team, which may have to be made
};

class OpenMp;

// The threads all streams of the CPU device share, so that many streams do not oversubscribe the machine.
class Pool final : public Workers {
 public:
  explicit Pool(int threads, PoolKind kind = PoolKind::kAuto)
      : threads_(threads), kind_(kind), crew_(threads) {}

  int count() const override { return threads_; }
  int worth(std::int64_t nanoseconds) const override;
  void run(std::int64_t tasks, int lanes, FunctionRef<void(std::int64_t)> body) override;
  using Workers::run;

  // Copies and fills then find memory of the program's view in the other one. Either may be null.
  void use_windows(std::shared_ptr<const Window> device, std::shared_ptr<const Window> host) {
    windows_ = {std::move(device), std::move(host)};
    has_windows_ = true;
  }
  // From the program's view to that of kernels.
  std::ptrdiff_t to_kernel(const void* address) const;
  void copy(const RowCopy& rows);
  void fill(const Fill& fill);

  // "2 threads (pool: own)"
  std::string describe() const;

 private:
  void copy_rows(const RowCopy& rows);
  // Calls body(begin, bytes) for shares that together are 0 … bytes.
  void share_out(std::size_t bytes, FunctionRef<void(std::size_t, std::size_t)> body);
  // What the calling thread's team belongs to; null if it has none by our reckoning.
  const OpenMp* openmp() const;

  const int threads_;
  const PoolKind kind_;
  Crew crew_;
  std::array<std::shared_ptr<const Window>, 2> windows_;
  bool has_windows_ = false;
};

}  // namespace cairn
