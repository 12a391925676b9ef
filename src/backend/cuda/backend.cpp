#include "backend/cuda/backend.h"

#include <cxxabi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "acl/acl_base.h"
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

// "void cairn::max_unpool_backward::(anonymous namespace)::gather<int, 4>(GatherPlan)" without what every
// kernel has.
std::string short_name(std::string name) {
  for (const std::string_view noise : {"void ", "cairn::", "(anonymous namespace)::"}) {
    for (std::size_t at = 0; (at = name.find(noise)) != std::string::npos;) name.erase(at, noise.size());
  }
  const std::size_t end = name.rfind('(');
  return end == std::string::npos ? name : name.substr(0, end);
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

MemoryInfo CudaBackend::memory_info(std::int32_t device) const { return open(device).memory_info(); }

std::shared_ptr<DeviceStream> CudaBackend::create_stream(std::int32_t device) {
  return std::make_shared<CudaStream>(open(device));
}

std::shared_ptr<DeviceEvent> CudaBackend::create_event(std::int32_t) { return std::make_shared<CudaEvent>(); }

std::shared_ptr<DeviceStream> CudaBackend::wrap_stream(std::int32_t device, void* native) {
  return std::make_shared<CudaStream>(open(device), static_cast<cudaStream_t>(native));
}

std::string CudaBackend::last_kernel() const {
  const void* kernel = last_started_kernel();
  const char* name = nullptr;
  if (kernel == nullptr || cudaFuncGetName(&name, kernel) != cudaSuccess) return {};
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return short_name(readable == nullptr ? name : readable.get());
}

std::byte* CudaBackend::allocate(std::int32_t device, std::size_t bytes) {
  return static_cast<std::byte*>(open(device).allocate(bytes));
}

void CudaBackend::release(std::byte* memory, std::size_t) {
  open(cuda::locate(memory).device).release(memory);
}

std::byte* CudaBackend::allocate_host(std::size_t bytes) {
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
  const Current current(any());
  check(cudaFreeHost(memory), "freeing pinned memory");
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

std::string CudaBackend::unreachable(std::int32_t device, const void* address) const {
  const Location location = cuda::locate(address);
  if (location.place == Location::Place::kDevice && location.device == device) return {};
  const Current current(open(device));
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

Status CudaBackend::copy(std::int32_t device, const RowCopy& rows) {
  open(device).copy(rows);
  return ACL_SUCCESS;
}

Status CudaBackend::fill(std::int32_t device, const Fill& fill) {
  open(device).fill(fill);
  return ACL_SUCCESS;
}

}  // namespace cairn::cuda
