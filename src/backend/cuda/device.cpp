#include "backend/cuda/device.h"

#include <algorithm>
#include <cstring>

#include "backend/cuda/driver.h"
#include "backend/cuda/error.h"
#include "backend/cuda/stream.h"

namespace cairn::cuda {
namespace {

constexpr std::size_t kMailboxesAtOnce = 16;

// A float of milliseconds tells microseconds apart for so long.
constexpr float kClockLastsMs = 4000;

// Left alone, the L2 cache fetches two sectors of 32 bytes where a kernel that picks single elements wants
// one. The limit is the whole context's: ours to choose only where nobody has used the context before us.
void fetch_single_sectors() {
  if (cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 32) != cudaSuccess) cudaGetLastError();
}

}  // namespace

Device::Device(int id) : id_(id) {
  unsigned flags = 0;
  int in_use = 0;
  check(driver().primary_context_state(id, &flags, &in_use), "opening the GPU");
  check(driver().primary_context(&context_, id), "opening the GPU");
  const Current current(*this);
  if (in_use == 0) fetch_single_sectors();
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, id), "asking the GPU");
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, id};
  check(cudaMemPoolCreate(&pool_, &properties), "creating a memory pool");
  restart_clock();
}

void* Device::allocate(std::size_t bytes) {
  const Current current(*this);
  void* memory = nullptr;
  const cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes, pool_, stream_);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(error, "allocating memory");
  check(cudaMemsetAsync(memory, 0, bytes, stream_), "zeroing memory");
  check(cudaStreamSynchronize(stream_), "zeroing memory");
  return memory;
}

void Device::enter(CudaStream& stream) {
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back(&stream);
}

void Device::leave(CudaStream& stream) {
  const std::lock_guard lock(streams_mutex_);
  std::erase(streams_, &stream);
}

void Device::mark_work_under_way(std::vector<cudaEvent_t>& marks) {
  const Current current(*this);
  const std::lock_guard lock(streams_mutex_);
  for (CudaStream* stream : streams_) {
    // A stream of the program's own may be gone, and then has nothing to do.
    const cudaError_t state = cudaStreamQuery(stream->get());
    if (state != cudaErrorNotReady) {
      if (state != cudaSuccess) cudaGetLastError();
      continue;
    }
    cudaEvent_t mark = nullptr;
    check(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming), "creating an event");
    marks.push_back(mark);
    check(cudaEventRecord(mark, stream->get()), "recording an event");
  }
}

void Device::release(void* memory) {
  const Current current(*this);
  check(cudaFreeAsync(memory, stream_), "freeing memory");
  check(cudaStreamSynchronize(stream_), "freeing memory");
}

void Device::copy(const RowCopy& rows) {
  const Current current(*this);
  copy_in(stream_, rows);
  check(cudaStreamSynchronize(stream_), "copying");
}

void Device::fill(const Fill& fill) {
  const Current current(*this);
  fill_in(stream_, fill);
  check(cudaStreamSynchronize(stream_), "filling");
}

MemoryInfo Device::memory_info() const {
  const Current current(*this);
  MemoryInfo info{};
  check(cudaMemGetInfo(&info.free, &info.total), "asking for the free memory");
  return info;
}

Mailbox* Device::take_mailbox() {
  const std::lock_guard lock(mailboxes_mutex_);
  if (free_mailboxes_.empty()) {
    // Never freed: cudaFreeHost would wait for everything under way on the GPU.
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, kMailboxesAtOnce * sizeof(Mailbox),
                        cudaHostAllocPortable | cudaHostAllocMapped),
          "allocating pinned memory");
    for (std::size_t i = 0; i < kMailboxesAtOnce; ++i)
      free_mailboxes_.push_back(static_cast<Mailbox*>(memory) + i);
  }
  Mailbox* mailbox = free_mailboxes_.back();
  free_mailboxes_.pop_back();
  std::memset(static_cast<void*>(mailbox), 0, sizeof(Mailbox));
  return mailbox;
}

void Device::give_back(Mailbox* mailbox) {
  const std::lock_guard lock(mailboxes_mutex_);
  free_mailboxes_.push_back(mailbox);
}

void Device::load_kernels() {
  std::call_once(kernels_loaded_, [] {
    for (const ModuleNote* note = modules(); note != nullptr; note = note->next) {
      cudaFunction_t kernel = nullptr;
      CUmodule module = nullptr;
      unsigned count = 0;
      check(cudaGetFuncBySymbol(&kernel, note->kernel), "finding the kernels");
      check(driver().module_of(&module, kernel), "finding the kernels");
      check(driver().kernel_count(&count, module), "finding the kernels");
      std::vector<CUfunction> kernels(count);
      check(driver().list_kernels(kernels.data(), count, module), "finding the kernels");
      for (CUfunction each : kernels) check(driver().load_kernel(each), "loading a kernel");
    }
  });
}

void Device::restart_clock() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "creating an event");
  check(cudaEventRecord(event, stream_), "recording an event");
  check(cudaEventSynchronize(event), "waiting for an event");
  if (clock_ != nullptr) {
    float since_ms = 0;
    check(cudaEventElapsedTime(&since_ms, clock_, event), "reading the GPU's clock");
    clock_ns_ += static_cast<std::int64_t>(static_cast<double>(since_ms) * 1e6);
    cudaEventDestroy(clock_);
  }
  clock_ = event;
}

std::int64_t Device::nanoseconds(cudaEvent_t event) {
  const Current current(*this);
  const std::lock_guard lock(clock_mutex_);
  float since_ms = 0;
  check(cudaEventElapsedTime(&since_ms, clock_, event), "reading the GPU's clock");
  if (since_ms > kClockLastsMs) {
    restart_clock();
    check(cudaEventElapsedTime(&since_ms, clock_, event), "reading the GPU's clock");
  }
  return clock_ns_ + static_cast<std::int64_t>(static_cast<double>(since_ms) * 1e6);
}

Current::Current(const Device& device) {
  check(driver().current_context(&before_), "finding the thread's GPU");
  if (before_ == device.context()) return;
  check(driver().set_current_context(device.context()), "choosing the thread's GPU");
  changed_ = true;
}

Current::~Current() {
  if (changed_) driver().set_current_context(before_);
}

void copy_in(cudaStream_t stream, const RowCopy& rows) {
  const bool one_run = rows.height == 1 || (rows.to_pitch == rows.width && rows.from_pitch == rows.width);
  if (one_run) {
    check(cudaMemcpyAsync(rows.to, rows.from, rows.width * rows.height, cudaMemcpyDefault, stream),
          "copying");
    return;
  }
  if (rows.to_pitch <= INT32_MAX && rows.from_pitch <= INT32_MAX) {
    check(cudaMemcpy2DAsync(rows.to, rows.to_pitch, rows.from, rows.from_pitch, rows.width, rows.height,
                            cudaMemcpyDefault, stream),
          "copying rows");
    return;
  }
  for (std::size_t row = 0; row < rows.height; ++row) {
    check(cudaMemcpyAsync(rows.to + row * rows.to_pitch, rows.from + row * rows.from_pitch, rows.width,
                          cudaMemcpyDefault, stream),
          "copying rows");
  }
}

void fill_in(cudaStream_t stream, const Fill& fill) {
  if (fill.width == 1) {
    check(cudaMemsetAsync(fill.to, static_cast<int>(fill.value & 0xFFU), fill.bytes, stream), "filling");
  } else {
    check(driver().fill_words(reinterpret_cast<CUdeviceptr>(fill.to), fill.value, fill.bytes / fill.width,
                              stream),
          "filling");
  }
}

Location locate(const void* address) {
  CUmemorytype type{};
  int managed = 0;
  int device = 0;
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
  void* answers[] = {&type, &managed, &device};
  // Of memory it does not know it says nothing, and that is no error. A thread without a context may ask, but
  // where nobody has made one yet, no memory can be a GPU's.
  const CUresult result =
      driver().pointer_attributes(3, names, answers, reinterpret_cast<CUdeviceptr>(address));
  if (result == CUDA_ERROR_INVALID_CONTEXT) return {};
  check(result, "asking where memory lies");
  if (managed != 0) return {Location::Place::kManaged, device};
  if (type == CU_MEMORYTYPE_DEVICE) return {Location::Place::kDevice, device};
  if (type == CU_MEMORYTYPE_HOST) return {Location::Place::kHost, 0};
  return {};
}

}  // namespace cairn::cuda
