#include "backend/cpu/backend.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "acl/acl_base.h"
#include "backend/cpu/event.h"
#include "backend/cpu/memory.h"
#include "backend/cpu/openmp.h"
#include "backend/cpu/stream.h"
#include "observe/observer.h"

namespace cairn {
namespace {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  utsname system{};
  return uname(&system) == 0 ? system.machine : "an unknown processor";
}

// Null when no tool wants it, or there is no room for it.
std::shared_ptr<Window> window_for(MemoryKind kind, Window::Program program) {
  Observer* const watcher = observer();
  if (!watcher->wants_host_accesses(kind)) return nullptr;
  auto window = std::make_shared<Window>(program);
  watcher->watched_memory(kind, window->begin(), window->size());
  return window->usable() ? window : nullptr;
}

}  // namespace

CpuBackend::CpuBackend(int threads, PoolKind kind) : pool_(std::make_shared<Pool>(threads, kind)) {
  if (observer() == nullptr) [[likely]]
    return;
  window_ = window_for(MemoryKind::kDevice, Window::Program::kMayNot);
  host_window_ = window_for(MemoryKind::kHost, Window::Program::kMay);
  pool_->use_windows(window_, host_window_);
  const QueueTiming timing = observer()->timing();
  if (timing.late || timing.seed) schedule_ = std::make_shared<Schedule>(timing.late, timing.seed);
}

bool CpuBackend::has_openmp() { return OpenMp::open() != nullptr; }

std::string CpuBackend::description() const { return "one CPU device, " + pool_->describe(); }

std::string CpuBackend::describe(std::int32_t) const { return processor_name() + ", " + pool_->describe(); }

std::int32_t CpuBackend::core_count(std::int32_t) const { return pool_->count(); }

std::int64_t CpuBackend::l2_cache_bytes(std::int32_t) const {
  return std::max(0L, sysconf(_SC_LEVEL2_CACHE_SIZE));
}

MemoryInfo CpuBackend::memory_info(std::int32_t) const { return system_memory(); }

std::shared_ptr<DeviceStream> CpuBackend::create_stream(std::int32_t) {
  return std::make_shared<CpuStream>(pool_, CpuStream::Runs::kOnItsThread, schedule_);
}

std::shared_ptr<DeviceStream> CpuBackend::create_inline_stream() {
  return std::make_shared<CpuStream>(pool_, CpuStream::Runs::kInline);
}

std::shared_ptr<DeviceEvent> CpuBackend::create_event(std::int32_t) { return std::make_shared<CpuEvent>(); }

std::shared_ptr<DeviceStream> CpuBackend::wrap_stream(std::int32_t, void*) { return nullptr; }

std::byte* CpuBackend::allocate(std::int32_t, std::size_t bytes) {
  return window_ != nullptr ? window_->allocate(bytes) : heap_.allocate(bytes);
}

void CpuBackend::release(std::byte* memory, std::size_t bytes) {
  if (window_ != nullptr) return window_->release(memory, bytes);
  heap_.release(memory, bytes);
}

bool CpuBackend::owns_address(const void* address) const {
  return window_ != nullptr ? window_->owns(address) : heap_.owns(address);
}

std::ptrdiff_t CpuBackend::to_kernel(const std::byte* memory) const { return pool_->to_kernel(memory); }

std::byte* CpuBackend::allocate_host(std::size_t bytes) {
  return host_window_ != nullptr ? host_window_->allocate(bytes) : allocate_zeroed(bytes);
}

void CpuBackend::release_host(std::byte* memory, std::size_t bytes) {
  if (host_window_ != nullptr) return host_window_->release(memory, bytes);
  release_zeroed(memory, bytes);
}

std::byte* CpuBackend::register_host(std::byte* memory, std::size_t) { return memory; }

void CpuBackend::unregister_host(std::byte*) {}

Location CpuBackend::locate(const void*) const { return {}; }

std::string CpuBackend::unreachable(std::int32_t, const void*, std::size_t) const { return {}; }

Status CpuBackend::copy(std::int32_t, const RowCopy& rows) {
  pool_->copy(rows);
  return ACL_SUCCESS;
}

Status CpuBackend::fill(std::int32_t, const Fill& fill) {
  pool_->fill(fill);
  return ACL_SUCCESS;
}

}  // namespace cairn
