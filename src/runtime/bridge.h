#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "backend/kernel.h"
#include "common/function_ref.h"
#include "common/status.h"
#include "observe/values.h"

namespace cairn {

class Backend;

// A live block of memory that the API knows.
struct Allocation {
  const std::byte* begin;
  std::size_t usable;  // the rounded-up size
  MemoryKind kind = MemoryKind::kDevice;
  const Backend* backend = nullptr;
  std::int32_t device = 0;
  std::shared_ptr<const void> lease = nullptr;  // as long as it is held, the memory is not given back
  std::ptrdiff_t to_kernel = 0;                 // from the program's addresses to those that kernels use

  // Nothing of [first, last) lies outside.
  bool holds(std::uintptr_t first, std::uintptr_t last) const {
    const auto start = reinterpret_cast<std::uintptr_t>(begin);
    return first >= start && last <= start + usable;
  }
};

// Memory that a kernel reads or writes, by the argument's name.
struct Operand {
  const char* argument;
  std::uintptr_t begin;
  std::uintptr_t end;
  std::optional<Allocation> allocation = std::nullopt;  // that holds it or lies in it, if there is one

  const void* first() const {
    return reinterpret_cast<const void*>(begin);  // NOLINT(performance-no-int-to-ptr): inside an argument
  }
};

struct Launch {
  const Kernel& kernel;
  const void* plan;  // copied
  std::size_t plan_size;
  std::span<Operand> operands = {};  // their leases are taken over
  const char* product = "";          // whose rules phase 1 enforced
  // The tensors in words; asked only by the log.
  std::optional<FunctionRef<std::string()>> describe = std::nullopt;
  std::span<const Footprint> touches = {};  // the same for tools; empty when none watches
  // Of the elements that the kernel goes over; a tensor from which indices choose does not count.
  std::uint64_t bytes = UINT64_MAX;
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
  // without a context, 107017 for a stale stream, …; or 161002 for an operand outside the memory that kernels
  // on this stream may touch. Reports its own message.
  virtual Status launch(void* stream, const Launch& launch) const = 0;

  // The live block that holds the first of these bytes, else the first block among them, if there is one.
  virtual std::optional<Allocation> find_allocation(const void* begin, std::size_t bytes) const = 0;

  // The same of each operand's bytes.
  virtual void find_allocations(std::span<Operand> operands) const = 0;

  // Contexts, streams, events, data buffers and blocks of memory that are live now: what leaks show up in.
  virtual std::size_t live_objects() const = 0;

 protected:
  ~RuntimeBridge() = default;
};

}  // namespace cairn

extern "C" __attribute__((visibility("default"))) const cairn::RuntimeBridge& cairn_runtime_bridge();
