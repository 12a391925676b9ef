#include "backend/cuda/error.h"

#include <string>

#include "acl/acl_base.h"

namespace cairn::cuda {
namespace {

// After one of these the context is lost: CUDA answers every later call with it.
bool is_sticky(cudaError_t error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorContained:
      return true;
    default:
      return false;
  }
}

Status status_of(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return ACL_ERROR_RT_MEMORY_ALLOCATION;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorInitializationError:
    case cudaErrorDevicesUnavailable:
      return ACL_ERROR_RT_NO_DEVICE;
    case cudaErrorInvalidDevice:
      return ACL_ERROR_RT_INVALID_DEVICEID;
    case cudaErrorInvalidValue:
    case cudaErrorInvalidPitchValue:
    case cudaErrorHostMemoryAlreadyRegistered:
    case cudaErrorHostMemoryNotRegistered:
      return ACL_ERROR_RT_PARAM_INVALID;
    case cudaErrorInvalidResourceHandle:
    case cudaErrorContextIsDestroyed:
      return ACL_ERROR_RT_INVALID_HANDLE;
    case cudaErrorNotSupported:
    case cudaErrorNoKernelImageForDevice:
      return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureImplicit:
      return ACL_ERROR_RT_STREAM_CAPTURED;
    case cudaErrorLaunchTimeout:
      return ACL_ERROR_RT_AICORE_TIMEOUT;
    case cudaErrorECCUncorrectable:
      return ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR;
    default:
      return is_sticky(error) ? ACL_ERROR_RT_AICORE_EXCEPTION : ACL_ERROR_RT_DRV_INTERNAL_ERROR;
  }
}

}  // namespace

DeviceError device_error(cudaError_t error, const char* what) {
  std::string message = std::string(what) + ": " + cudaGetErrorName(error) + ", " + cudaGetErrorString(error);
  if (is_sticky(error)) {
    message +=
        "; work queued earlier broke the GPU's context, and CUDA answers everything in this process with "
        "that "
        "from here on";
  }
  return {status_of(error), message};
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // the next call's outcome is its own
  throw device_error(error, what);
}

}  // namespace cairn::cuda
