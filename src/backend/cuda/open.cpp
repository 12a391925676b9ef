#include "backend/cuda/open.h"

#include <cuda_runtime_api.h>

#include "backend/cuda/backend.h"
#include "backend/cuda/driver.h"
#include "build_stamp.h"

const char cairn_cuda_stamp[] = CAIRN_STAMP;

cairn::CudaChoice cairn_cuda_open() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error == cudaErrorInsufficientDriver) {
    return {nullptr, "there is no NVIDIA driver, or it is older than CUDA " +
                         std::to_string(CUDART_VERSION / 1000) + " needs (cudaErrorInsufficientDriver)"};
  }
  if (error != cudaSuccess) {
    return {nullptr, std::string("CUDA says ") + cudaGetErrorName(error) + ", " + cudaGetErrorString(error)};
  }
  if (count == 0) return {nullptr, "CUDA finds no GPU"};
  try {
    cairn::cuda::driver();
  } catch (const cairn::DeviceError& error_of_driver) {
    return {nullptr, std::string("the NVIDIA driver is too old: ") + error_of_driver.what()};
  }
  return {std::make_shared<cairn::cuda::CudaBackend>(count), {}};
}
