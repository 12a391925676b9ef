#include "backend/cpu/backend.h"

#include <unistd.h>

#include <algorithm>

#include "acl/acl_base.h"
#include "backend/cpu/event.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/stream.h"

namespace cairn {

std::string CpuBackend::description() const {
  return "one CPU device, " + std::to_string(pool_->count()) + (pool_->count() == 1 ? " thread" : " threads");
}

std::int32_t CpuBackend::core_count(std::int32_t) const { return pool_->count(); }

std::int64_t CpuBackend::l2_cache_bytes(std::int32_t) const {
  return std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
}

MemoryInfo CpuBackend::memory_info(std::int32_t) const { return system_memory(); }

std::shared_ptr<DeviceStream> CpuBackend::create_stream(std::int32_t) {
  return std::make_shared<CpuStream>(pool_);
}

std::shared_ptr<DeviceEvent> CpuBackend::create_event(std::int32_t) { return std::make_shared<CpuEvent>(); }

std::byte* CpuBackend::allocate(std::int32_t, std::size_t bytes) { return allocate_zeroed(bytes); }

void CpuBackend::release(std::byte* memory, std::size_t bytes) { release_zeroed(memory, bytes); }

std::byte* CpuBackend::allocate_host(std::size_t bytes) { return allocate_zeroed(bytes); }

void CpuBackend::release_host(std::byte* memory, std::size_t bytes) { release_zeroed(memory, bytes); }

Status CpuBackend::copy(const RowCopy& rows) {
  pool_->copy(rows);
  return ACL_SUCCESS;
}

Status CpuBackend::fill(const Fill& fill) {
  pool_->fill(fill);
  return ACL_SUCCESS;
}

}  // namespace cairn
