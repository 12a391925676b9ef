#include "backend/cpu/event.h"

#include <chrono>
#include <utility>
#include <vector>

#include "acl/acl_base.h"

namespace cairn {

void Mark::reach() {
  std::vector<std::weak_ptr<CpuStream>> sleepers;
  {
    const std::lock_guard lock(mutex_);
    time_.store(CpuStream::Clock::now().time_since_epoch() / std::chrono::nanoseconds(1),
                std::memory_order_release);
    sleepers.swap(sleepers_);
  }
  for (const std::weak_ptr<CpuStream>& sleeper : sleepers) {
    if (const std::shared_ptr<CpuStream> stream = sleeper.lock()) stream->wake();
  }
}

void Mark::wake_when_reached(std::weak_ptr<CpuStream> stream) {
  const std::lock_guard lock(mutex_);
  if (!reached()) sleepers_.push_back(std::move(stream));
}

std::uint64_t CpuStream::record(std::shared_ptr<Mark> mark) {
  const std::uint64_t number = submit({.kind = Kind::kRecord, .mark = mark, .brief = true});
  if (schedule_ != nullptr) mark->recorded_by(weak_from_this(), number);
  return number;
}

std::uint64_t CpuStream::wait_for(std::shared_ptr<Mark> mark, std::int64_t timeout_ms,
                                  std::shared_ptr<void> token) {
  mark->wake_when_reached(weak_from_this());
  return submit(
      {.kind = Kind::kWait, .mark = std::move(mark), .timeout_ms = timeout_ms, .token = std::move(token)});
}

Status CpuEvent::record(DeviceStream& stream) {
  const std::shared_ptr<CpuStream> queue = static_cast<CpuStream&>(stream).shared_from_this();
  auto mark = std::make_shared<Mark>();
  // Not under the lock: a stream without a thread runs its tasks now, and they may ask for this event.
  const std::uint64_t number = queue->record(mark);
  const std::lock_guard lock(mutex_);
  latest_ = {std::move(mark), queue, number};
  return ACL_SUCCESS;
}

Status CpuEvent::make_wait(DeviceStream& stream, std::int64_t timeout_ms) {
  const Record record = latest();
  if (record.mark != nullptr) static_cast<CpuStream&>(stream).wait_for(record.mark, timeout_ms, wait_token_);
  return ACL_SUCCESS;
}

Status CpuEvent::reset(DeviceStream& stream) {
  static_cast<CpuStream&>(stream).run([self = shared_from_this(), mark = latest().mark] {
    Record dropped;
    const std::lock_guard lock(self->mutex_);
    if (self->latest_.mark == mark) std::swap(dropped, self->latest_);
  });
  return ACL_SUCCESS;
}

bool CpuEvent::recorded() { return latest().mark != nullptr; }

bool CpuEvent::complete() {
  const Record record = latest();
  if (record.mark == nullptr || record.mark->reached()) return true;
  record.stream->idle();  // a stream without a thread goes on when somebody looks
  return record.mark->reached();
}

bool CpuEvent::waits_pending() { return wait_token_.use_count() > 1; }

Synchronised CpuEvent::synchronise(std::int64_t timeout_ms) {
  const Record record = latest();
  if (record.mark == nullptr) return {};
  return record.stream->synchronise_to(record.number, timeout_ms);
}

std::optional<std::int64_t> CpuEvent::nanoseconds() {
  const Record record = latest();
  if (record.mark == nullptr || !record.mark->reached()) return std::nullopt;
  return record.mark->nanoseconds();
}

double CpuEvent::milliseconds_since(DeviceEvent& start) {
  return static_cast<double>(nanoseconds().value_or(0) - start.nanoseconds().value_or(0)) / 1e6;
}

CpuEvent::Record CpuEvent::latest() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace cairn
