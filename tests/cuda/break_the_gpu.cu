#include "cuda/break_the_gpu.h"

namespace cuda_test {
namespace {

__global__ void store(volatile int* nowhere) { *nowhere = 1; }

}  // namespace

void break_the_gpu() {
  store<<<1, 1>>>(reinterpret_cast<volatile int*>(16));
  cudaDeviceSynchronize();
}

}  // namespace cuda_test
