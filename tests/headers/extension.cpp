// cairn/cairn.h as programs and bindings rely on it.
#include <type_traits>

#include "cairn/cairn.h"

#define PIN(function, ...) static_assert(std::is_same<decltype(function), __VA_ARGS__>::value, #function)

PIN(cairnGetBackendName, const char*());
PIN(cairnGetDeviceDescription, aclError(int32_t, char*, size_t));
PIN(cairnCreateCpuStream, aclError(aclrtStream*));
PIN(cairnCreateInlineCpuStream, aclError(aclrtStream*));
PIN(cairnWrapCudaStream, aclError(void*, int32_t, aclrtStream*));
PIN(cairnGetLastCall, aclError(cairnCallInfo*));
PIN(cairnLaunch, aclError(aclOpExecutor*, void* const*, uint64_t, void*, uint64_t, aclrtStream));
PIN(cairnCompute, aclError(aclOpExecutor*, void* const*, uint64_t, void*, uint64_t, aclrtStream));

static_assert(offsetof(cairnCallInfo, operatorName) == 0, "operatorName");
static_assert(offsetof(cairnCallInfo, product) == 8, "product");
static_assert(offsetof(cairnCallInfo, backend) == 16, "backend");
static_assert(offsetof(cairnCallInfo, deviceId) == 24, "deviceId");
static_assert(offsetof(cairnCallInfo, kernel) == 28, "kernel");
static_assert(sizeof(cairnCallInfo) == 160, "cairnCallInfo");
