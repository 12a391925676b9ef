#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

#include "observe/values.h"

namespace cairn {

// The door through which tools watch a program's calls. Called on any thread, in the middle of calls; what is
// pointed to is good for the length of the event. No event throws.
class Observer {
 public:
  virtual ~Observer() = default;

  // Around every exported function; calls may nest. `said` comes between them, once for each failure.
  virtual void begin(const ApiCall& /*call*/) noexcept {}
  virtual void end(const ApiCall& /*call*/) noexcept {}
  virtual void said(Status /*status*/, std::string_view /*message*/) noexcept {}

  // Objects; an owner (a list) ends what it owns with itself.
  virtual void made(HandleKind /*kind*/, const void* /*handle*/) noexcept {}
  virtual void owned(const void* /*owner*/, const void* /*handle*/) noexcept {}
  virtual void ended(HandleKind /*kind*/, const void* /*handle*/) noexcept {}
  virtual void wrong_handle(const char* /*argument*/, const void* /*handle*/,
                            HandleKind /*expected*/) noexcept {}
  virtual void made_stream(const StreamInfo& /*stream*/) noexcept {}
  virtual void device_ended(std::int32_t /*device*/) noexcept {}

  // Memory; `releasing` comes before its addresses can be given out again.
  virtual void allocated(const Memory& /*memory*/) noexcept {}
  virtual void releasing(const void* /*begin*/) noexcept {}
  // What was freed there is not ours any more: the addresses may be anybody's.
  virtual void given_back(const void* /*begin*/) noexcept {}
  // Whether the program's own loads and stores in memory of this kind are to be noticed; where that memory
  // lies, null where there is no room for it.
  virtual bool wants_host_accesses(MemoryKind /*kind*/) noexcept { return false; }
  virtual void watched_memory(MemoryKind /*kind*/, const void* /*begin*/, std::size_t /*bytes*/) noexcept {}
  // What fresh device memory is filled with; none: zeros.
  virtual std::optional<std::uint8_t> poison() noexcept { return std::nullopt; }

  // When queued work begins, of what the program allows.
  virtual QueueTiming timing() noexcept { return {}; }
  // Whether an event is under way, which may take long.
  virtual bool busy() noexcept { return false; }

  // Phase 1: how much workspace it is to ask for, given its need; that it has succeeded.
  virtual std::uint64_t wanted_workspace(std::uint64_t need) noexcept { return need; }
  virtual void planned(const Planned& /*plan*/) noexcept {}
  virtual void workspace(const GivenWorkspace& /*given*/) noexcept {}

  // What a call is about to touch, before the runtime judges it: an operator's on its stream, or both ends of
  // a copy.
  virtual void operands(const char* /*name*/, const void* /*stream*/,
                        std::span<const Footprint> /*touches*/) noexcept {}
  virtual void copying(std::span<const Footprint> /*touches*/) noexcept {}

  // In the order of the stream, before it can start; its number among all work of the process, from 1.
  virtual std::uint64_t queued(const Work& /*work*/) noexcept { return 0; }
  // aclrtMemcpy and aclrtMemset, before they begin.
  virtual void touched_now(std::span<const Footprint> /*touches*/) noexcept {}
  virtual void host_function(std::uint64_t /*call*/, bool /*begins*/) noexcept {}

  // How much is queued there; what the host then knows to be done.
  virtual std::uint64_t position(std::int32_t /*stream*/) noexcept { return 0; }
  virtual void host_knows(std::int32_t /*stream*/, std::uint64_t /*position*/) noexcept {}
  virtual void host_knows_event(const void* /*event*/) noexcept {}
  // A wait found the fault of this work; 0 where the device does not say which, -1 for a stream not known.
  virtual void faulted(std::uint64_t /*call*/, std::int32_t /*stream*/, Status /*status*/,
                       std::string_view /*message*/) noexcept {}

  // mstx: marks and ranges, and memory that the program hands out itself. A region is named by its handle or
  // by its address.
  virtual std::uint64_t mstx_tool() noexcept { return 0; }
  virtual void annotated(const Annotation& /*annotation*/) noexcept {}
  virtual void heap_registered(const Region& /*heap*/) noexcept {}
  virtual void heap_unregistered(const void* /*heap*/) noexcept {}
  virtual void region_registered(const Region& /*region*/) noexcept {}
  virtual void region_unregistered(const void* /*handle*/, const void* /*begin*/) noexcept {}

  // In the child, which begins with nothing.
  virtual void forked() noexcept {}
};

}  // namespace cairn

// Null unless a tool watches: then every event costs one load and a branch.
extern "C" __attribute__((visibility("default"))) std::atomic<cairn::Observer*> cairn_observer;

namespace cairn {

#if defined(CAIRN_WITHOUT_TOOLS)  // to measure what the door costs: bench/check_overhead.py
constexpr Observer* observer() { return nullptr; }
#else
inline Observer* observer() { return cairn_observer.load(std::memory_order_relaxed); }
#endif

}  // namespace cairn
