#include <unistd.h>

#include <cstdint>

#include "acl/acl_rt.h"
#include "observe/watch.h"
#include "runtime/place.h"
#include "runtime/state.h"
#include "runtime/synchronise.h"

namespace cairn {
namespace {

constexpr std::size_t kUnit = 32;
constexpr int kLastMemoryAttribute = ACL_MEM_P2P_HUGE1G;

// CANN's ((size + 63) / 32) * 32 gives the least that programs rely on past what they ask for.
enum class Padding { kPlus32, kRound32 };

Status refuse_size(const Call& call, std::size_t size) {
  return call.fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%zu bytes are more than the memory there is", size);
}

// Puts new memory into the map; what was registered there before is of memory that is gone.
void publish(std::byte* memory, std::size_t bytes, MemoryKind kind, const Context& context,
             std::shared_ptr<HeldMemory> held) {
  const std::vector<Block> stale =
      State::get().memory().insert_new({memory, bytes, kind, context.device, context.backend, std::move(held),
                                        context.backend->to_kernel(memory)});
  for (const Block& block : stale) {
    try {
      block.owner->unregister_host(block.begin);
    } catch (const DeviceError&) {
      // The device has forgotten it too.
    }
  }
}

Status allocate(const Call& call, void** pointer, std::size_t size, Padding padding) {
  if (pointer == nullptr) return call.null("devPtr");
  if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1");
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  if (size > SIZE_MAX - 2 * kUnit) return refuse_size(call, size);
  const std::size_t extra = padding == Padding::kPlus32 ? 2 * kUnit - 1 : kUnit - 1;
  const std::size_t bytes = (size + extra) / kUnit * kUnit;
  auto held = std::make_shared<HeldMemory>(context->backend, MemoryKind::kDevice);
  std::byte* memory = context->backend->allocate(context->device, bytes);
  if (memory == nullptr && State::get().quarantine().clear())
    memory = context->backend->allocate(context->device, bytes);
  if (memory == nullptr) return refuse_size(call, size);
  held->adopt(memory, bytes);
  publish(memory, bytes, MemoryKind::kDevice, *context, std::move(held));
  if (Observer* watcher = observer()) {
    if (const std::optional<std::uint8_t> poison = watcher->poison())
      context->backend->fill(context->device, {memory, bytes, *poison, 1});
    watcher->allocated(
        {memory, size, bytes, MemoryKind::kDevice, context->device, context->backend->has_own_memory()});
  }
  *pointer = memory;
  return ACL_SUCCESS;
}

// A tool knows a stale address as one while nobody else has it.
void tell_of_release(const Block& block) {
  observer()->releasing(block.begin);
  if (block.to_kernel != 0) return;  // addresses of the window stay its own
  if (block.kind == MemoryKind::kDevice) {
    State::get().quarantine().add(block);
  } else {
    observer()->given_back(block.begin);
  }
}

Status release(const Call& call, const char* argument, void* pointer, MemoryKind kind) {
  if (pointer == nullptr) return call.null(argument);
  const std::optional<Block> block = State::get().memory().remove(pointer, kind);
  if (!block) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "%s %p is not the start of a live %s allocation", argument,
                     pointer, kind == MemoryKind::kDevice ? "device" : "host");
  }
  if (observer() != nullptr) [[unlikely]]
    tell_of_release(*block);
  // Queued work that uses it keeps it; then it ends with the last of that.
  if (block->memory.use_count() == 1) block->memory->release();
  return ACL_SUCCESS;
}

Status allocate_host(const Call& call, void** pointer, std::size_t size) {
  if (pointer == nullptr) return call.null("hostPtr");
  if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1");
  const std::shared_ptr<Context> context = State::get().current_context();
  if (context == nullptr) return call.no_context();
  auto held = std::make_shared<HeldMemory>(context->backend, MemoryKind::kHost);
  std::byte* memory = context->backend->allocate_host(size);
  if (memory == nullptr) return refuse_size(call, size);
  held->adopt(memory, size);
  publish(memory, size, MemoryKind::kHost, *context, std::move(held));
  if (Observer* watcher = observer())
    watcher->allocated({.begin = memory,
                        .requested = size,
                        .usable = size,
                        .kind = MemoryKind::kHost,
                        .device = context->device,
                        .watched = context->backend->to_kernel(memory) != 0});
  *pointer = memory;
  return ACL_SUCCESS;
}

// Only the plain kinds of memory have a size here; huge, P2P and normal pools are one.
bool names_all_memory(aclrtMemAttr attribute) { return attribute == ACL_DDR_MEM || attribute == ACL_HBM_MEM; }

Location locate(const void* address) {
  if (const std::optional<Block> block = State::get().memory().find(address)) {
    if (block->kind == MemoryKind::kDevice) return {Location::Place::kDevice, block->device};
    return {Location::Place::kHost, 0};
  }
  const std::shared_ptr<Backend> devices = State::get().devices();
  return devices == nullptr ? Location{} : devices->locate(address);
}

}  // namespace
}  // namespace cairn

using Place = cairn::Location::Place;
using cairn::Call;
using cairn::entry;
using cairn::MemoryKind;
using cairn::Padding;
using cairn::State;
using cairn::Status;

// The policies are hints about page sizes and memory kinds that this device does not have.
aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  CAIRN_WATCH(devPtr, size);
  return entry(__func__,
               [&](const Call& call) { return cairn::allocate(call, devPtr, size, Padding::kPlus32); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  CAIRN_WATCH(devPtr, size);
  return entry(__func__,
               [&](const Call& call) { return cairn::allocate(call, devPtr, size, Padding::kRound32); });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy) {
  CAIRN_WATCH(devPtr, size);
  return entry(__func__,
               [&](const Call& call) { return cairn::allocate(call, devPtr, size, Padding::kPlus32); });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy, aclrtMallocConfig* cfg) {
  CAIRN_WATCH(devPtr, size, cfg);
  return entry(__func__, [&](const Call& call) {
    if (cfg != nullptr && cfg->numAttrs != 0 && cfg->attrs == nullptr) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "cfg->attrs is null, but cfg->numAttrs is %zu",
                       cfg->numAttrs);
    }
    return cairn::allocate(call, devPtr, size, Padding::kRound32);
  });
}

aclError aclrtFree(void* devPtr) {
  CAIRN_WATCH(devPtr);
  return entry(__func__,
               [&](const Call& call) { return cairn::release(call, "devPtr", devPtr, MemoryKind::kDevice); });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  CAIRN_WATCH(devPtr);
  return entry(__func__, [&](const Call& call) {
    const std::optional<cairn::Block> block = State::get().memory().find(devPtr);
    if (block && block->kind == MemoryKind::kDevice && block->begin == devPtr) {
      for (const auto& stream : State::get().streams_of_device(block->owner, block->device))
        wait_for_all(*stream);
    }
    return cairn::release(call, "devPtr", devPtr, MemoryKind::kDevice);
  });
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  CAIRN_WATCH(hostPtr, size);
  return entry(__func__, [&](const Call& call) { return cairn::allocate_host(call, hostPtr, size); });
}

aclError aclrtFreeHost(void* hostPtr) {
  CAIRN_WATCH(hostPtr);
  return entry(__func__,
               [&](const Call& call) { return cairn::release(call, "hostPtr", hostPtr, MemoryKind::kHost); });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  CAIRN_WATCH(ptr, size, type, devPtr);
  return entry(__func__, [&](const Call& call) -> Status {
    if (ptr == nullptr) return call.null("ptr");
    if (devPtr == nullptr) return call.null("devPtr");
    if (size == 0) return call.fail(ACL_ERROR_INVALID_PARAM, "size is 0, expected at least 1");
    if (type != ACL_HOST_REGISTER_MAPPED) {
      return call.fail(ACL_ERROR_INVALID_PARAM, "type is %d, expected ACL_HOST_REGISTER_MAPPED (0)",
                       static_cast<int>(type));
    }
    const auto context = State::get().current_context();
    if (context == nullptr) return call.no_context();
    auto* begin = static_cast<std::byte*>(ptr);
    if (!cairn::is_mapped(ptr, size) || context->backend->owns_address(begin) ||
        context->backend->owns_address(begin + (size - 1))) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%llu bytes at %p are not all memory of the program, expected memory to register",
                       static_cast<unsigned long long>(size), ptr);
    }
    if (!State::get().memory().insert(
            {begin, size, MemoryKind::kRegistered, context->device, context->backend})) {
      return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                       "%llu bytes at %p overlap memory that is registered or allocated",
                       static_cast<unsigned long long>(size), ptr);
    }
    try {
      *devPtr = context->backend->register_host(begin, size);
    } catch (...) {
      State::get().memory().remove(ptr, MemoryKind::kRegistered);
      throw;
    }
    if (cairn::Observer* watcher = cairn::observer())
      watcher->allocated({begin, size, size, MemoryKind::kRegistered, context->device});
    return ACL_SUCCESS;
  });
}

aclError aclrtHostUnregister(void* ptr) {
  CAIRN_WATCH(ptr);
  return entry(__func__, [&](const Call& call) -> Status {
    if (ptr == nullptr) return call.null("ptr");
    if (const auto block = State::get().memory().remove(ptr, MemoryKind::kRegistered)) {
      if (cairn::observer() != nullptr) [[unlikely]]
        cairn::tell_of_release(*block);
      block->owner->unregister_host(block->begin);
      return ACL_SUCCESS;
    }
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "ptr %p is not the start of registered memory", ptr);
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  CAIRN_WATCH(attr, free, total);
  return entry(__func__, [&](const Call& call) -> Status {
    if (free == nullptr) return call.null("free");
    if (total == nullptr) return call.null("total");
    if (static_cast<int>(attr) < 0 || static_cast<int>(attr) > cairn::kLastMemoryAttribute) {
      return call.fail(ACL_ERROR_RT_INVALID_MEMORY_TYPE, "attr is %d, expected 0 to %d",
                       static_cast<int>(attr), cairn::kLastMemoryAttribute);
    }
    const auto context = State::get().current_context();
    if (context == nullptr) return call.no_context();
    const cairn::MemoryInfo info =
        cairn::names_all_memory(attr) ? context->backend->memory_info(context->device) : cairn::MemoryInfo{};
    *free = info.free;
    *total = info.total;
    return ACL_SUCCESS;
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  CAIRN_WATCH(ptr, attributes);
  return entry(__func__, [&](const Call& call) -> Status {
    if (ptr == nullptr) return call.null("ptr");
    if (attributes == nullptr) return call.null("attributes");
    *attributes = {};
    const cairn::Location location = cairn::locate(ptr);
    if (location.place == Place::kPageable) {
      attributes->location.type = ACL_MEM_LOCATION_TYPE_UNREGISTERED;
      return ACL_SUCCESS;
    }
    const bool host = location.place == Place::kHost;
    attributes->location.type = host ? ACL_MEM_LOCATION_TYPE_HOST : ACL_MEM_LOCATION_TYPE_DEVICE;
    attributes->location.id = static_cast<uint32_t>(location.device);
    attributes->pageSize = static_cast<uint32_t>(sysconf(_SC_PAGESIZE));
    return ACL_SUCCESS;
  });
}
