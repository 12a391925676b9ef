#pragma once

#include <cstddef>

#include "emulator/launch.h"
#include "emulator/vectors.h"

// The part of CUDA's runtime that our kernels and their tests use, on the CPU: a launch has run when it
// returns.
#define __device__
#define __global__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __forceinline__ inline
#define __noinline__
#define __shared__ thread_local  // the threads of a block are one thread of the system

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorLaunchFailure = 719
};
const char* cudaGetErrorName(cudaError_t error);
// Of a launch that failed, what went wrong in the last one of this thread.
const char* cudaGetErrorString(cudaError_t error);

using cudaStream_t = struct CUstream_st*;
inline constexpr unsigned cudaStreamNonBlocking = 1;
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
inline constexpr unsigned cudaHostAllocMapped = 2;
// Memory of exactly that size, so that AddressSanitizer sees what lies outside.
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
cudaError_t cudaMemset(void* memory, int byte, std::size_t bytes);
cudaError_t cudaMemsetAsync(void* memory, int byte, std::size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int byte, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);

enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);

enum cudaLaunchAttributeID { cudaLaunchAttributeProgrammaticStreamSerialization };
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int programmaticStreamSerializationAllowed;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  std::size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};

namespace cuda_emulator {

cudaError_t start(const cudaLaunchConfig_t& config, Launch launch);

}  // namespace cuda_emulator

template <typename... Plan, typename... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Plan...), Given&&... given) {
  const cuda_emulator::Call<Plan...> call{kernel, {given...}};
  return cuda_emulator::start(
      *config, {reinterpret_cast<const void*>(kernel), cuda_emulator::name_of_kernel_with<Plan...>(), 0, 0, 0,
                &cuda_emulator::Call<Plan...>::run, &call});
}
