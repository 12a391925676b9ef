#include "backend/cuda/driver.h"

#include "backend/cuda/error.h"

namespace cairn::cuda {
namespace {

constexpr unsigned kVersion = 12050;

template <typename Function>
void find(const char* name, Function& function) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, kVersion, cudaEnableDefault, &result), name);
  if (found == nullptr) check(cudaErrorNotSupported, name);
  function = reinterpret_cast<Function>(found);
}

Driver find_all() {
  Driver found{};
  find("cuDevicePrimaryCtxGetState", found.primary_context_state);
  find("cuDevicePrimaryCtxRetain", found.primary_context);
  find("cuCtxGetCurrent", found.current_context);
  find("cuCtxSetCurrent", found.set_current_context);
  find("cuStreamWaitValue32", found.wait_for_value);
  find("cuMemsetD32Async", found.fill_words);
  find("cuPointerGetAttributes", found.pointer_attributes);
  find("cuMemGetAddressRange", found.address_range);
  find("cuFuncGetModule", found.module_of);
  find("cuModuleGetFunctionCount", found.kernel_count);
  find("cuModuleEnumerateFunctions", found.list_kernels);
  find("cuFuncLoad", found.load_kernel);
  return found;
}

}  // namespace

const Driver& driver() {
  static const Driver found = find_all();
  return found;
}

}  // namespace cairn::cuda
