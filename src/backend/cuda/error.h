#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "backend/backend.h"

namespace cairn::cuda {

// The ACL status of a CUDA error, and CUDA's own words after `what` was being done.
DeviceError device_error(cudaError_t error, const char* what);

// Throws it unless all is well.
void check(cudaError_t error, const char* what);
// The two number their errors alike.
inline void check(CUresult result, const char* what) { check(static_cast<cudaError_t>(result), what); }

}  // namespace cairn::cuda
