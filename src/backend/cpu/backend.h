#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/pool.h"

namespace cairn {

// One device made of all the cores the program may use; its memory is the host's.
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads) : pool_(std::make_shared<Pool>(threads)) {}

  std::string description() const override;
  std::int32_t device_count() const override { return 1; }
  std::int32_t core_count(std::int32_t device) const override;
  std::int64_t l2_cache_bytes(std::int32_t device) const override;
  MemoryInfo memory_info(std::int32_t device) const override;
  std::shared_ptr<DeviceStream> create_stream(std::int32_t device) override;
  std::shared_ptr<DeviceEvent> create_event(std::int32_t device) override;
  std::byte* allocate(std::int32_t device, std::size_t bytes) override;
  void release(std::byte* memory, std::size_t bytes) override;
  std::byte* allocate_host(std::size_t bytes) override;
  void release_host(std::byte* memory, std::size_t bytes) override;
  Status copy(const RowCopy& rows) override;
  Status fill(const Fill& fill) override;

 private:
  const std::shared_ptr<Pool> pool_;
};

}  // namespace cairn
