#pragma once

#include <mutex>
#include <span>

#include "observe/observer.h"
#include "runtime/state.h"

namespace cairn {

// Lives while something is queued: a tool that watches sees work in the order of its stream.
class InOrder {
 public:
  InOrder(Stream& stream, const Work& work) : stream_(stream) {
    Observer* const watcher = observer();
    if (watcher == nullptr) [[likely]]
      return;
    lock_ = std::unique_lock(stream.order);
    call_ = watcher->queued(work);
  }
  InOrder(Stream& stream, WorkKind kind, const char* name, std::span<const Footprint> touches)
      : InOrder(stream, {.kind = kind, .name = name, .stream = stream.id, .touches = touches}) {}
  InOrder(Stream& stream, WorkKind kind, const void* event)
      : InOrder(stream, {.kind = kind, .name = "an event", .stream = stream.id, .event = event}) {}

  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;
  ~InOrder() {
    if (!lock_.owns_lock() || !stream_.is_inline) [[likely]]
      return;
    // Done when the call returns, unless it waits for another stream.
    if (stream_.queue->idle()) observer()->host_knows(stream_.id, observer()->position(stream_.id));
  }

  // What the tool calls this work; 0 when none watches.
  std::uint64_t call() const { return call_; }

 private:
  Stream& stream_;
  std::unique_lock<std::recursive_mutex> lock_;
  std::uint64_t call_ = 0;
};

}  // namespace cairn
