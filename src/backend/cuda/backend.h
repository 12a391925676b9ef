#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/cuda/freed_memory.h"

namespace cairn::cuda {

class CudaBackend final : public Backend {
 public:
  explicit CudaBackend(int devices) : devices_(static_cast<std::size_t>(devices)) {}

  const char* name() const override { return "cuda"; }
  bool has_own_memory() const override { return true; }
  std::string description() const override;
  std::string describe(std::int32_t device) const override;
  std::int32_t device_count() const override { return static_cast<std::int32_t>(devices_.size()); }
  std::int32_t core_count(std::int32_t device) const override;
  std::int64_t l2_cache_bytes(std::int32_t device) const override;
  MemoryInfo memory_info(std::int32_t device) const override;
  std::shared_ptr<DeviceStream> create_stream(std::int32_t device) override;
  std::shared_ptr<DeviceEvent> create_event(std::int32_t device) override;
  std::shared_ptr<DeviceStream> wrap_stream(std::int32_t device, void* native) override;
  std::byte* allocate(std::int32_t device, std::size_t bytes) override;
  void release(std::byte* memory, std::size_t bytes) override;
  std::byte* allocate_host(std::size_t bytes) override;
  void release_host(std::byte* memory, std::size_t bytes) override;
  std::byte* register_host(std::byte* memory, std::size_t bytes) override;
  void unregister_host(std::byte* memory) override;
  Location locate(const void* address) const override;
  bool owns_address(const void* address) const override;
  std::string unreachable(std::int32_t device, const void* begin, std::size_t bytes) const override;
  Status copy(std::int32_t device, const RowCopy& rows) override;
  Status fill(std::int32_t device, const Fill& fill) override;

 private:
  // Opened at its first use: a context costs memory on the GPU.
  Device& open(std::int32_t device) const;
  // One that is open, for memory that belongs to none.
  Device& any() const;

  // Behind what is under way on every open device.
  std::vector<cudaEvent_t> mark_work_under_way() const;

  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Device>> devices_;
  mutable FreedMemory freed_;
};

}  // namespace cairn::cuda
