#include <algorithm>
#include <cstring>

#include "cairn/cairn.h"
#include "observe/watch.h"
#include "runtime/state.h"

namespace cairn {
namespace {

// Whole characters of the text, and a final zero.
void copy_text(std::string_view text, char* to, std::size_t size) {
  std::size_t length = std::min(text.size(), size - 1);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
    --length;
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

Status wrap_stream(const Call& call, void* native, std::int32_t device, aclrtStream* handle) {
  if (handle == nullptr) return call.null("stream");
  const std::shared_ptr<Backend> backend = State::get().find_device(call, device);
  if (backend == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
  std::shared_ptr<DeviceStream> queue = backend->wrap_stream(device, native);
  if (queue == nullptr) {
    return call.fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "the backend is %s, which has no CUDA streams",
                     backend->name());
  }
  *handle = State::get().add_stream(backend, device, std::move(queue), StreamKind::kWrapped)->handle;
  return ACL_SUCCESS;
}

}  // namespace
}  // namespace cairn

using cairn::Call;
using cairn::entry;
using cairn::State;
using cairn::Status;

const char* cairnGetBackendName() {
  CAIRN_WATCH();
  const char* name = nullptr;
  entry(__func__, [&](const Call& call) -> Status {
    const cairn::BackendChoice choice = State::get().backend();
    if (choice.backend == nullptr) return call.fail(choice.status, "%s", choice.message.c_str());
    name = choice.backend->name();
    return ACL_SUCCESS;
  });
  return name;
}

aclError cairnGetDeviceDescription(int32_t deviceId, char* text, size_t size) {
  CAIRN_WATCH(deviceId, text, size);
  return entry(__func__, [&](const Call& call) -> Status {
    if (text == nullptr) return call.null("text");
    if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1");
    const auto backend = State::get().find_device(call, deviceId);
    if (backend == nullptr) return ACL_ERROR_RT_INVALID_DEVICEID;
    cairn::copy_text(backend->describe(deviceId), text, size);
    return ACL_SUCCESS;
  });
}

aclError cairnCreateCpuStream(aclrtStream* stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (stream == nullptr) return call.null("stream");
    const std::shared_ptr<cairn::Backend> cpu = State::get().cpu_backend();
    *stream = State::get().add_stream(cpu, 0, cpu->create_stream(0), cairn::StreamKind::kCpu)->handle;
    return ACL_SUCCESS;
  });
}

aclError cairnCreateInlineCpuStream(aclrtStream* stream) {
  CAIRN_WATCH(stream);
  return entry(__func__, [&](const Call& call) -> Status {
    if (stream == nullptr) return call.null("stream");
    const std::shared_ptr<cairn::Backend> cpu = State::get().cpu_backend();
    *stream =
        State::get().add_stream(cpu, 0, cpu->create_inline_stream(), cairn::StreamKind::kInline)->handle;
    return ACL_SUCCESS;
  });
}

aclError cairnWrapCudaStream(void* cudaStream, int32_t deviceId, aclrtStream* stream) {
  CAIRN_WATCH(cudaStream, deviceId, stream);
  return entry(__func__,
               [&](const Call& call) { return cairn::wrap_stream(call, cudaStream, deviceId, stream); });
}

aclError cairnGetLastCall(cairnCallInfo* info) {
  CAIRN_WATCH(info);
  return entry(__func__, [&](const Call& call) -> Status {
    if (info == nullptr) return call.null("info");
    const cairn::ThreadState::LastCall& last = cairn::thread_state().last_call;
    if (last.kernel.name == nullptr)
      return call.fail(ACL_ERROR_RT_PARAM_INVALID, "this thread has queued no operator yet");
    *info = {};
    info->operatorName = last.kernel.name;
    info->product = last.product;
    info->backend = last.backend;
    info->deviceId = last.device;
    std::string kernel = last.candidate;
    if (std::string_view(last.backend) == "cpu") kernel += std::string(", ") + last.kernel.cpu_target();
    cairn::copy_text(kernel, info->kernel, sizeof(info->kernel));
    return ACL_SUCCESS;
  });
}
