#pragma once

#include <memory>
#include <mutex>

#include "backend/backend.h"
#include "backend/cpu/stream.h"

namespace cairn {

class CpuEvent final : public DeviceEvent, public std::enable_shared_from_this<CpuEvent> {
 public:
  Status record(DeviceStream& stream) override;
  Status make_wait(DeviceStream& stream, std::int64_t timeout_ms) override;
  Status reset(DeviceStream& stream) override;
  bool recorded() override;
  bool complete() override;
  bool waits_pending() override;
  Synchronised synchronise(std::int64_t timeout_ms) override;
  std::optional<std::int64_t> nanoseconds() override;
  double milliseconds_since(DeviceEvent& start) override;

 private:
  struct Record {
    std::shared_ptr<Mark> mark;  // null: never recorded
    std::shared_ptr<CpuStream> stream;
    std::uint64_t number = 0;
  };

  Record latest();

  std::mutex mutex_;
  Record latest_;
  // Each queued wait holds a copy.
  const std::shared_ptr<void> wait_token_ = std::make_shared<char>();
};

}  // namespace cairn
