#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "backend/candidate.h"
#include "common/function_ref.h"

namespace cairn {

// The threads one kernel may fan out over. Kernels never make threads of their own.
class Workers {
 public:
  virtual ~Workers() = default;
  virtual int count() const = 0;
  // With how many of them work is done soonest that takes one thread so long.
  virtual int worth(std::int64_t nanoseconds) const = 0;
  // Calls body(0) … body(tasks - 1), each exactly once, on at most `lanes` of the threads; returns when all
  // are done.
  virtual void run(std::int64_t tasks, int lanes, FunctionRef<void(std::int64_t)> body) = 0;
  void run(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) { run(tasks, count(), body); }
};

// An index that points outside its plane. The kernel has already treated it as the operator defines; this is
// what the next synchronise reports.
struct IndexFault {
  std::int64_t position;    // flat position in `indices`, in the axis order the program gave it
  std::int64_t value;       // the index found there
  std::int64_t plane_size;  // the valid range is 0 … plane_size - 1
};

// `plan` is the operator's own trivially copyable Plan with every address filled in.
using CpuCandidate = Candidate<std::optional<IndexFault> (*)(const void* plan, Workers& workers)>;

// An operator's computation as a backend sees it.
struct Kernel {
  const char* name;    // the operator's, which messages call it by: "aclnnMaxUnpool3dBackward"
  std::size_t family;  // operators of one family share their kernels; a GPU backend finds its own by this
  const std::span<const CpuCandidate>* cpu;
  const char* (*cpu_target)();  // the instruction set that the CPU's run with here
};

}  // namespace cairn
