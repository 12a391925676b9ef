#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "backend/candidate_choice.h"
#include "backend/kernel.h"
#include "common/status.h"

namespace cairn {

// What went wrong in work whose call had long returned: the status and text of the synchronise that covers
// it.
struct Fault {
  Status status;
  std::string message;
  std::uint64_t call = 0;  // the work's number, where a tool gave it one and the device keeps it
};

// A device that cannot do what it was asked: the status and text of the call that asked. Any function of a
// backend may throw it, except destructors and abandon().
class DeviceError : public std::runtime_error {
 public:
  DeviceError(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const { return status_; }

 private:
  Status status_;
};

enum class WaitResult {
  kDone,
  kTimedOut,
  kSelf,    // asked from a host function on the stream it would wait for: that would never end
  kEnding,  // the process is ending, and what is waited for will not happen any more
};

struct Synchronised {
  WaitResult result = WaitResult::kDone;
  std::optional<Fault> fault =
      std::nullopt;  // the first in stream order; what the wait covered is then forgotten
};

inline constexpr std::int64_t kForever = -1;

// `height` rows of `width` bytes.
struct RowCopy {
  std::byte* to;
  std::size_t to_pitch;
  const std::byte* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t height;
};

// One or four bytes, repeated.
struct Fill {
  std::byte* to;
  std::size_t bytes;  // a multiple of width
  std::uint32_t value;
  std::size_t width;
};

// Memory that queued work uses: it is not given back before the work is done. A few need no heap.
class Leases {
 public:
  void push_back(std::shared_ptr<const void> lease) {
    if (count_ < few_.size()) {
      few_[count_++] = std::move(lease);
    } else {
      more_.push_back(std::move(lease));
    }
  }

 private:
  std::array<std::shared_ptr<const void>, 4> few_;
  std::size_t count_ = 0;
  std::vector<std::shared_ptr<const void>> more_;
};

// An in-order queue of a device. Every function but the waiting ones returns at once. Used by several
// threads. Work that cannot be queued any more, because the stream or the process is ending, is refused with
// a DeviceError.
class DeviceStream {
 public:
  virtual ~DeviceStream() = default;

  // Says in `choice` which of the kernel's candidates it took.
  virtual Status launch(const Kernel& kernel, const void* plan, std::size_t plan_size, Leases leases,
                        Choice& choice) = 0;
  virtual Status copy(const RowCopy& rows, Leases leases) = 0;
  virtual Status fill(const Fill& fill, Leases leases) = 0;
  virtual Status host_function(void (*function)(void*), void* argument) = 0;

  virtual bool idle() = 0;
  // Whether the calling thread is inside a host function of this stream.
  virtual bool runs_here() const = 0;
  // A fault the device has already told of, on a stream that the program may synchronise behind our back.
  virtual std::optional<Fault> take_known_fault() { return std::nullopt; }
  // Waits for what is queued now and keeps the faults for the next synchronise.
  virtual WaitResult wait() = 0;
  virtual Synchronised synchronise(std::int64_t timeout_ms) = 0;
  // Drops what is queued and not begun, then waits for the kernel or copy under way (its memory may be freed
  // next), never for a host function. The stream takes nothing more.
  virtual void abandon(std::int64_t timeout_ms) = 0;
  // The process is ending. Waits for the kernel or copy under way, never for a host function. After that the
  // stream computes on the threads that ask for a result, or refuses.
  virtual void retire(std::int64_t timeout_ms) = 0;
};

// A point in a stream, recorded as often as the program likes: the latest record counts.
class DeviceEvent {
 public:
  virtual ~DeviceEvent() = default;

  virtual Status record(DeviceStream& stream) = 0;
  // Queues a wait for the latest record; after timeout_ms of waiting the stream goes on and remembers a
  // fault.
  virtual Status make_wait(DeviceStream& stream, std::int64_t timeout_ms) = 0;
  // Queues "not recorded", undone by a later record.
  virtual Status reset(DeviceStream& stream) = 0;

  virtual bool recorded() = 0;
  virtual bool complete() = 0;  // true when never recorded
  virtual bool waits_pending() = 0;
  virtual Synchronised synchronise(std::int64_t timeout_ms) = 0;
  // When the device reached the latest record, on the backend's own clock; none before that.
  virtual std::optional<std::int64_t> nanoseconds() = 0;
  // Between two records that were both reached, more exactly than their clocks can tell.
  virtual double milliseconds_since(DeviceEvent& start) = 0;
};

struct MemoryInfo {
  std::size_t free;
  std::size_t total;
};

// Where memory lies that may not have come from this API.
struct Location {
  enum class Place { kPageable, kHost, kDevice, kManaged };  // kHost: pinned

  Place place = Place::kPageable;
  std::int32_t device = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual const char* name() const = 0;
  virtual bool has_own_memory() const = 0;  // false: its memory is the host's
  virtual std::string description() const = 0;
  virtual std::string describe(std::int32_t device) const = 0;
  virtual std::int32_t device_count() const = 0;
  virtual std::int32_t core_count(std::int32_t device) const = 0;
  virtual std::int64_t l2_cache_bytes(std::int32_t device) const = 0;
  virtual MemoryInfo memory_info(std::int32_t device) const = 0;

  virtual std::shared_ptr<DeviceStream> create_stream(std::int32_t device) = 0;
  // Whose calls compute on the thread that makes them; null where there is no such kind.
  virtual std::shared_ptr<DeviceStream> create_inline_stream() { return nullptr; }
  virtual std::shared_ptr<DeviceEvent> create_event(std::int32_t device) = 0;
  // Over a queue of the device's own kind that the program made; null when there is no such kind.
  virtual std::shared_ptr<DeviceStream> wrap_stream(std::int32_t device, void* native) = 0;

  // Zeroed and 64-byte aligned; null when there is not that much.
  virtual std::byte* allocate(std::int32_t device, std::size_t bytes) = 0;
  virtual void release(std::byte* memory, std::size_t bytes) = 0;
  // The same of memory that host and device reach at full speed.
  virtual std::byte* allocate_host(std::size_t bytes) = 0;
  virtual void release_host(std::byte* memory, std::size_t bytes) = 0;
  // Makes the program's own memory such memory; returns where the device finds it.
  virtual std::byte* register_host(std::byte* memory, std::size_t bytes) = 0;
  virtual void unregister_host(std::byte* memory) = 0;

  virtual Location locate(const void* address) const = 0;
  // Whether the address is one of device memory for good, allocated at present or not.
  virtual bool owns_address(const void* /*address*/) const { return false; }
  // Why kernels of `device` cannot use these bytes, as the end of a sentence: "… is host memory, which …".
  // Empty when they can.
  virtual std::string unreachable(std::int32_t device, const void* begin, std::size_t bytes) const = 0;

  // From the program's address of memory of ours to that of kernels.
  virtual std::ptrdiff_t to_kernel(const std::byte* /*memory*/) const { return 0; }

  // Done on return; not ordered with any stream.
  virtual Status copy(std::int32_t device, const RowCopy& rows) = 0;
  virtual Status fill(std::int32_t device, const Fill& fill) = 0;
};

}  // namespace cairn
