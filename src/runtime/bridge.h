#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "backend/kernel.h"
#include "common/status.h"

namespace cairn {

// Device memory as aclrtMalloc handed it out.
struct Allocation {
  const std::byte* begin;
  std::size_t usable;  // the rounded-up size
};

// What libnnopbase and libopapi need of libacl_rt beyond CANN's own functions. One exported symbol, so that
// the libraries share one runtime without exporting C++.
class RuntimeBridge {
 public:
  // Makes `message` this thread's pending error text (aclGetRecentErrMsg) and logs it under CAIRN_LOG.
  virtual void report_error(Status status, std::string_view message) const = 0;
  // Logged only (CAIRN_LOG=warn|info).
  virtual void warn(std::string_view message) const = 0;

  // Queues the kernel with a copy of the plan on `stream` (null: the current context's default stream).
  // Returns an aclError: 107002 without a context, 107017 for a stale stream, …; reports its own message.
  virtual Status launch(void* stream, const Kernel& kernel, const void* plan,
                        std::size_t plan_size) const = 0;

  // The live device allocation that holds `address`, if it is one of ours.
  virtual std::optional<Allocation> find_allocation(const void* address) const = 0;

  // Contexts, streams, events, data buffers and blocks of memory that are live now: what leaks show up in.
  virtual std::size_t live_objects() const = 0;

 protected:
  ~RuntimeBridge() = default;
};

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::RuntimeBridge& cairn_runtime_bridge();
