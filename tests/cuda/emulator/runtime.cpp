#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <string>

#include "block.h"

struct CUstream_st {};

namespace {

constexpr std::size_t kAlignment = 256;  // of memory, as CUDA promises
constexpr unsigned kMostThreads = 1024;
constexpr std::size_t kUsualShared = 48 << 10;
constexpr std::size_t kMostShared = 227 << 10;  // for kernels that ask for it
// Kernels with as many blocks as the device holds then have more than one turn to do.
constexpr int kMultiprocessors = 1;

thread_local std::string g_failure;

std::mutex g_allowed_mutex;
std::map<const void*, std::size_t> g_allowed;  // shared memory, by kernel

std::size_t allowed_shared(const void* kernel) {
  const std::lock_guard lock(g_allowed_mutex);
  const auto found = g_allowed.find(kernel);
  return found == g_allowed.end() ? kUsualShared : found->second;
}

}  // namespace

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorLaunchFailure:
      return "cudaErrorLaunchFailure";
  }
  return "";
}
const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorLaunchFailure || error == cudaErrorInvalidConfiguration ? g_failure.c_str()
                                                                                   : cudaGetErrorName(error);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned /*flags*/) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/) { return cudaSuccess; }

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int /*device*/) {
  if (attribute != cudaDevAttrMultiProcessorCount) return cudaErrorInvalidValue;
  *value = kMultiprocessors;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return posix_memalign(memory, kAlignment, bytes) == 0 ? cudaSuccess : cudaErrorMemoryAllocation;
}
cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned /*flags*/) {
  return cudaMalloc(memory, bytes);
}
cudaError_t cudaFreeHost(void* memory) { return cudaFree(memory); }
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned /*flags*/) {
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes) {
  return cudaMemset2DAsync(memory, bytes, byte, bytes, 1);
}
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream) {
  return cudaMemset2DAsync(memory, bytes, byte, bytes, 1, stream);
}
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int byte, std::size_t width,
                              std::size_t height, cudaStream_t /*stream*/) {
  if (width > pitch && height > 1) return cudaErrorInvalidValue;
  for (std::size_t row = 0; row < height && width > 0; ++row)
    std::memset(static_cast<char*>(memory) + row * pitch, byte, width);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind /*kind*/) {
  if (bytes > 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute /*attribute*/, int value) {
  if (value < 0 || static_cast<std::size_t>(value) > kMostShared) return cudaErrorInvalidValue;
  const std::lock_guard lock(g_allowed_mutex);
  g_allowed[kernel] = static_cast<std::size_t>(value);
  return cudaSuccess;
}

cudaError_t cuda_emulator::start(const cudaLaunchConfig_t& config, Launch launch) {
  launch.blocks = config.gridDim.x;
  launch.threads = config.blockDim.x;
  launch.shared_bytes = config.dynamicSmemBytes;
  g_failure = "kernel with " + launch.name + ": " + std::to_string(launch.blocks) + " blocks of " +
              std::to_string(launch.threads) + " threads with " + std::to_string(launch.shared_bytes) +
              " bytes of shared memory";
  if (launch.blocks == 0 || launch.threads == 0 || launch.threads > kMostThreads ||
      launch.shared_bytes > allowed_shared(launch.kernel))
    return cudaErrorInvalidConfiguration;
  g_failure = Machine::of_thread().run(launch);
  return g_failure.empty() ? cudaSuccess : cudaErrorLaunchFailure;
}
