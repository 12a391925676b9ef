#pragma once

#include <memory>

#include "backend/backend.h"
#include "backend/cpu/device_heap.h"
#include "backend/cpu/pool.h"
#include "backend/cpu/schedule.h"
#include "backend/cpu/window.h"

namespace cairn {

// One device made of all the cores the program may use; its memory lies in the host's.
class CpuBackend final : public Backend {
 public:
  explicit CpuBackend(int threads, PoolKind kind = PoolKind::kAuto);

  // Whether an OpenMP runtime is loaded, or was found and is now.
  static bool has_openmp();

  const char* name() const override { return "cpu"; }
  bool has_own_memory() const override { return false; }
  std::string description() const override;
  std::string describe(std::int32_t device) const override;
  std::int32_t device_count() const override { return 1; }
  std::int32_t core_count(std::int32_t device) const override;
  std::int64_t l2_cache_bytes(std::int32_t device) const override;
  MemoryInfo memory_info(std::int32_t device) const override;
  std::shared_ptr<DeviceStream> create_stream(std::int32_t device) override;
  std::shared_ptr<DeviceStream> create_inline_stream() override;
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
  std::ptrdiff_t to_kernel(const std::byte* memory) const override;
  std::string unreachable(std::int32_t device, const void* begin, std::size_t bytes) const override;
  Status copy(std::int32_t device, const RowCopy& rows) override;
  Status fill(std::int32_t device, const Fill& fill) override;

 private:
  const std::shared_ptr<Pool> pool_;
  DeviceHeap heap_;
  // In its place, and in that of the C library's, while a tool watches what the program itself touches.
  std::shared_ptr<Window> window_;
  std::shared_ptr<Window> host_window_;
  std::shared_ptr<Schedule> schedule_;  // null: work begins when it can
};

}  // namespace cairn
