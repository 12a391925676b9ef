#pragma once

#include <cuda.h>

namespace cairn::cuda {

// The few functions that only the driver's own interface has. Nothing links libcuda.so: the CUDA runtime
// finds it where there is a driver.
struct Driver {
  decltype(&cuDevicePrimaryCtxGetState) primary_context_state;
  decltype(&cuDevicePrimaryCtxRetain) primary_context;
  decltype(&cuCtxGetCurrent) current_context;
  decltype(&cuCtxSetCurrent) set_current_context;
  decltype(&cuStreamWaitValue32) wait_for_value;
  decltype(&cuMemsetD32Async) fill_words;
  decltype(&cuPointerGetAttributes) pointer_attributes;
  decltype(&cuMemGetAddressRange) address_range;
  decltype(&cuFuncGetModule) module_of;
  decltype(&cuModuleGetFunctionCount) kernel_count;
  decltype(&cuModuleEnumerateFunctions) list_kernels;
  decltype(&cuFuncLoad) load_kernel;
};

const Driver& driver();

}  // namespace cairn::cuda
