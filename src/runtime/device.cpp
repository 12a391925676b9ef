#include <algorithm>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "product/product.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

constexpr std::int32_t kLeastPriority = 7;
constexpr std::int32_t kGreatestPriority = 0;

Status device_info(const Call& call, const Backend& backend, std::int32_t device, aclrtDevAttr attribute,
                   std::int64_t& value) {
  switch (attribute) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      value = backend.core_count(device);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      value = static_cast<std::int64_t>(backend.memory_info(device).total);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      value = backend.l2_cache_bytes(device);
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_IS_VIRTUAL:
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      value = 0;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_WARP_SIZE:
    case ACL_DEV_ATTR_MAX_THREAD_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
    case ACL_DEV_ATTR_NPU_ARCH:
      return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "attr is %d, which only an NPU has",
                       static_cast<int>(attribute));
  }
  return call.fail(ACL_ERROR_INVALID_PARAM, "attr is %d, which is no aclrtDevAttr",
                   static_cast<int>(attribute));
}

}  // namespace

std::shared_ptr<Backend> State::find_device(const Call& call, std::int64_t device) {
  const BackendChoice choice = backend();
  if (choice.backend == nullptr) {
    call.fail(ACL_ERROR_RT_INVALID_DEVICEID, "there is no device: %s", choice.message.c_str());
    return nullptr;
  }
  const std::int32_t count = choice.backend->device_count();
  if (device >= 0 && device < count) return choice.backend;
  call.fail(ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is %lld, expected 0 to %d",
            static_cast<long long>(device), count - 1);
  return nullptr;
}

Status State::set_device(const Call& call, std::int32_t device) {
  const std::shared_ptr<Backend> found = find_device(call, device);
  if (found == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
  const std::lock_guard lock(device_mutex_);
  devices_.resize(std::max(devices_.size(), static_cast<std::size_t>(device) + 1));
  Device& entry = devices_[static_cast<std::size_t>(device)];
  if (entry.primary == nullptr) entry.primary = create_context(found, device, true);
  ++entry.references;
  thread_state().context = entry.primary->handle;
  return ACL_SUCCESS;
}

Status State::reset_device(const Call& call, std::int32_t device, bool all_references) {
  if (find_device(call, device) == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
  std::shared_ptr<Context> ending;
  {
    const std::lock_guard lock(device_mutex_);
    devices_.resize(std::max(devices_.size(), static_cast<std::size_t>(device) + 1));
    Device& entry = devices_[static_cast<std::size_t>(device)];
    if (entry.references == 0) {
      return call.fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "device %d is not set, or has been reset", device);
    }
    entry.references = all_references ? 0 : entry.references - 1;
    if (entry.references == 0) ending.swap(entry.primary);
  }
  if (ending == nullptr) return ACL_SUCCESS;
  end_context(ending);
  if (Observer* watcher = observer()) watcher->device_ended(device);
  return ACL_SUCCESS;
}

}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::State;

aclError aclrtSetDevice(int32_t deviceId) {
  CAIRN_WATCH(deviceId);
  return entry(__func__, [&](const Call& call) { return State::get().set_device(call, deviceId); });
}

aclError aclrtResetDevice(int32_t deviceId) {
  CAIRN_WATCH(deviceId);
  return entry(__func__, [&](const Call& call) { return State::get().reset_device(call, deviceId, false); });
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  CAIRN_WATCH(deviceId);
  return entry(__func__, [&](const Call& call) { return State::get().reset_device(call, deviceId, true); });
}

aclError aclrtGetDevice(int32_t* deviceId) {
  CAIRN_WATCH(deviceId);
  return entry(__func__, [&](const Call& call) {
    if (deviceId == nullptr) return call.null("deviceId");
    const auto context = State::get().current_context();
    if (context == nullptr) return call.no_context();
    *deviceId = context->device;
    return ACL_SUCCESS;
  });
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  CAIRN_WATCH(count);
  return entry(__func__, [&](const Call& call) {
    if (count == nullptr) return call.null("count");
    const cairn::BackendChoice choice = State::get().backend();
    *count = choice.backend == nullptr ? 0 : static_cast<uint32_t>(choice.backend->device_count());
    return ACL_SUCCESS;
  });
}

const char* aclrtGetSocName() {
  CAIRN_WATCH();
  const char* name = nullptr;
  entry(__func__, [&](const Call&) {
    name = cairn::current_soc_name();
    return ACL_SUCCESS;
  });
  return name;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  CAIRN_WATCH(runMode);
  return entry(__func__, [&](const Call& call) {
    if (runMode == nullptr) return call.null("runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
  });
}

aclError aclrtSynchronizeDevice() {
  CAIRN_WATCH();
  return entry(__func__, [&](const Call& call) { return cairn::synchronise_device(call, cairn::kForever); });
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  CAIRN_WATCH(timeout);
  return entry(__func__, [&](const Call& call) {
    if (timeout < -1) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "timeout is %d, expected -1 (for ever) or milliseconds",
                       timeout);
    }
    return cairn::synchronise_device(call, timeout);
  });
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  CAIRN_WATCH(deviceId, attr, value);
  return entry(__func__, [&](const Call& call) -> cairn::Status {
    if (value == nullptr) return call.null("value");
    const auto backend = State::get().find_device(call, deviceId);
    if (backend == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
    return cairn::device_info(call, *backend, static_cast<int32_t>(deviceId), attr, *value);
  });
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus* deviceStatus) {
  CAIRN_WATCH(deviceId, deviceStatus);
  return entry(__func__, [&](const Call& call) -> cairn::Status {
    if (deviceStatus == nullptr) return call.null("deviceStatus");
    if (State::get().find_device(call, deviceId) == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
  });
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
  CAIRN_WATCH(leastPriority, greatestPriority);
  return entry(__func__, [&](const Call& call) {
    if (leastPriority == nullptr) return call.null("leastPriority");
    if (greatestPriority == nullptr) return call.null("greatestPriority");
    *leastPriority = cairn::kLeastPriority;
    *greatestPriority = cairn::kGreatestPriority;
    return ACL_SUCCESS;
  });
}
