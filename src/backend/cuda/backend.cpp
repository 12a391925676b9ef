#include "backend/cuda/backend.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "acl/acl_base.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/error.h"
#include "backend/cuda/event.h"
#include "backend/cuda/stream.h"

namespace cairn::cuda {
namespace {

int attribute(cudaDeviceAttr which, std::int32_t device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "asking the GPU");
  return value;
}

constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr auto kPause = std::chrono::milliseconds(1);

// The context of `device` is current.
std::string unreachable_at(std::int32_t device, const void* address) {
  const Location location = cuda::locate(address);
  if (location.place == Location::Place::kDevice && location.device == device) return {};
  cudaPointerAttributes attributes{};
  check(cudaPointerGetAttributes(&attributes, address), "asking where memory lies");
  const std::string here = "CUDA device " + std::to_string(device);
  if (attributes.type == cudaMemoryTypeUnregistered) {
    return "host memory, which " + here +
           " cannot reach: give it memory of aclrtMalloc (and copy with aclrtMemcpy), or pinned memory of "
           "aclrtMallocHost";
  }
  if (attributes.devicePointer == address) return {};
  if (attributes.type == cudaMemoryTypeHost) return "pinned host memory that is not mapped for " + here;
  return "memory of CUDA device " + std::to_string(attributes.device) + ", which " + here + " cannot reach";
}

}  // namespace

Device& CudaBackend::open(std::int32_t device) const {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Device>& entry = devices_[static_cast<std::size_t>(device)];
  if (entry == nullptr) entry = std::make_unique<Device>(device);
  return *entry;
}

Device& CudaBackend::any() const {
  {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Device>& device : devices_)
      if (device != nullptr) return *device;
  }
  return open(0);
}

std::string CudaBackend::description() const {
  const std::string first = describe(0);
  return devices_.size() == 1 ? first : std::to_string(devices_.size()) + " GPUs, the first " + first;
}

std::string CudaBackend::describe(std::int32_t device) const {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "asking the GPU");
  std::array<char, 512> text{};
  std::snprintf(text.data(), text.size(), "%s, compute capability %d.%d, %d multiprocessors", properties.name,
                properties.major, properties.minor, properties.multiProcessorCount);
  return text.data();
}

std::int32_t CudaBackend::core_count(std::int32_t device) const {
  return attribute(cudaDevAttrMultiProcessorCount, device);
}

std::int64_t CudaBackend::l2_cache_bytes(std::int32_t device) const {
  return attribute(cudaDevAttrL2CacheSize, device);
}

MemoryInfo CudaBackend::memory_info(std::int32_t device) const {
  freed_.collect();
  return open(device).memory_info();
}

std::shared_ptr<DeviceStream> CudaBackend::create_stream(std::int32_t device) {
  return std::make_shared<CudaStream>(open(device));
}

std::shared_ptr<DeviceEvent> CudaBackend::create_event(std::int32_t) { return std::make_shared<CudaEvent>(); }

std::shared_ptr<DeviceStream> CudaBackend::wrap_stream(std::int32_t device, void* native) {
  return std::make_shared<CudaStream>(open(device), static_cast<cudaStream_t>(native));
}

std::vector<cudaEvent_t> CudaBackend::mark_work_under_way() const {
  std::vector<Device*> devices;
  {
    const std::lock_guard lock(mutex_);
    for (const std::unique_ptr<Device>& device : devices_)
      if (device != nullptr) devices.push_back(device.get());
  }
  std::vector<cudaEvent_t> marks;
  for (Device* device : devices) device->mark_work_under_way(marks);
  return marks;
}

std::byte* CudaBackend::allocate(std::int32_t device, std::size_t bytes) {
  freed_.collect();
  void* memory = open(device).allocate(bytes);
  // What was freed with work under way may be all that is missing. Not for long: that work may wait for us.
  for (int i = 0; memory == nullptr && freed_.pending() && i < kPatience / kPause; ++i) {
    std::this_thread::sleep_for(kPause);
    freed_.collect();
    memory = open(device).allocate(bytes);
  }
  return static_cast<std::byte*>(memory);
}

void CudaBackend::release(std::byte* memory, std::size_t) {
  Device& device = open(cuda::locate(memory).device);
  freed_.collect();
  freed_.add(mark_work_under_way(), [&device, memory] { device.release(memory); });
}

std::byte* CudaBackend::allocate_host(std::size_t bytes) {
  freed_.collect();
  const Current current(any());
  void* memory = nullptr;
  const cudaError_t error = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(error, "allocating pinned memory");
  std::memset(memory, 0, bytes);
  return static_cast<std::byte*>(memory);
}

void CudaBackend::release_host(std::byte* memory, std::size_t) {
  freed_.collect();
  freed_.add(mark_work_under_way(), [this, memory] {
    const Current current(any());
    check(cudaFreeHost(memory), "freeing pinned memory");
  });
}

std::byte* CudaBackend::register_host(std::byte* memory, std::size_t bytes) {
  const Current current(any());
  check(cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), "pinning memory");
  void* on_device = nullptr;
  check(cudaHostGetDevicePointer(&on_device, memory, 0), "pinning memory");
  return static_cast<std::byte*>(on_device);
}

void CudaBackend::unregister_host(std::byte* memory) {
  const Current current(any());
  check(cudaHostUnregister(memory), "unpinning memory");
}

Location CudaBackend::locate(const void* address) const { return cuda::locate(address); }

bool CudaBackend::owns_address(const void* address) const {
  // The plural: to ask it of memory that CUDA does not know is no error.
  CUmemoryPool pool = nullptr;
  CUpointer_attribute name = CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE;
  void* answer = &pool;
  const CUresult result =
      driver().pointer_attributes(1, &name, &answer, reinterpret_cast<CUdeviceptr>(address));
  if (result != CUDA_SUCCESS || pool == nullptr) return false;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(devices_, [&](const std::unique_ptr<Device>& device) {
    return device != nullptr && device->owns(pool);
  });
}

std::string CudaBackend::unreachable(std::int32_t device, const void* begin, std::size_t bytes) const {
  const Current current(open(device));
  if (std::string reason = unreachable_at(device, begin); !reason.empty()) return reason;
  // From its first byte to its last in one allocation, whoever made it.
  CUdeviceptr first = 0;
  std::size_t size = 0;
  const auto address = reinterpret_cast<CUdeviceptr>(begin);
  if (driver().address_range(&first, &size, address) == CUDA_SUCCESS) {
    if (address - first + bytes <= size) return {};
    return "in an allocation of " + std::to_string(size) + " bytes, and reaches " +
           std::to_string(address - first + bytes - size) + " bytes past its end";
  }
  return unreachable_at(device, static_cast<const std::byte*>(begin) + (bytes - 1));
}

Status CudaBackend::copy(std::int32_t device, const RowCopy& rows) {
  open(device).copy(rows);
  return ACL_SUCCESS;
}

Status CudaBackend::fill(std::int32_t device, const Fill& fill) {
  open(device).fill(fill);
  return ACL_SUCCESS;
}

}  // namespace cairn::cuda
