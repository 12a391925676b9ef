#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "backend/kernel.h"
#include "common/status.h"

namespace cairn {

class Backend;

// Device memory as aclrtMalloc handed it out.
struct Allocation {
  const std::byte* begin;
  std::size_t usable;                // the rounded-up size
  const Backend* backend = nullptr;  // whose device memory it is; null for host memory
  std::int32_t device = 0;
};

// Memory that a kernel reads or writes, by the argument's name.
struct Operand {
  const char* argument;
  const void* address;
  std::optional<Allocation> allocation = std::nullopt;  // that holds it, where that is known
};

struct Launch {
  const Kernel& kernel;
  const void* plan;  // copied
  std::size_t plan_size;
  std::span<const Operand> operands = {};
  const char* product = "";  // whose rules phase 1 enforced
};

// What libnnopbase and libopapi need of libacl_rt beyond CANN's own functions. One exported symbol, so that
// the libraries share one runtime without exporting C++.
class RuntimeBridge {
 public:
  // Makes `message` this thread's pending error text (aclGetRecentErrMsg) and logs it under CAIRN_LOG.
  virtual void report_error(Status status, std::string_view message) const = 0;
  // Logged only (CAIRN_LOG=warn|info).
  virtual void warn(std::string_view message) const = 0;

  // Queues the kernel on `stream` (null: the current context's default stream). Returns an aclError: 107002
  // without a context, 107017 for a stale stream, …; or 161002 for an operand that the stream's device cannot
  // reach. Reports its own message.
  virtual Status launch(void* stream, const Launch& launch) const = 0;

  // The live device allocation that holds `address`, if it is one of ours.
  virtual std::optional<Allocation> find_allocation(const void* address) const = 0;

  // Contexts, streams, events, data buffers and blocks of memory that are live now: what leaks show up in.
  virtual std::size_t live_objects() const = 0;

 protected:
  ~RuntimeBridge() = default;
};

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::RuntimeBridge& cairn_runtime_bridge();
