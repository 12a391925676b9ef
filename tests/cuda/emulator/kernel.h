#pragma once

#include <cuda_runtime.h>

#include <string>

// Small kernels for tests of the emulator.
namespace cuda_emulator {

// Empty when the launch went well; else what CUDA says.
template <typename Plan>
std::string run(void (*kernel)(Plan), const Plan& plan, unsigned blocks, unsigned threads,
                std::size_t shared_bytes = 0) {
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = threads;
  config.dynamicSmemBytes = shared_bytes;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, plan);
  return error == cudaSuccess ? "" : std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

}  // namespace cuda_emulator
