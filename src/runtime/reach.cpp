#include "runtime/reach.h"

#include "aclnn/opdev/op_errno.h"
#include "runtime/place.h"

namespace cairn {
namespace {

constexpr const char* kWanted = ", expected memory of aclrtMalloc";

const void* pointer(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): an operand's
}

std::string of_other_device(std::int32_t device) {
  return "memory of device " + std::to_string(device) + ", which the CPU cannot reach";
}

// A CPU stream may stand beside devices whose memory no CPU instruction can touch.
std::string unreachable_by_cpu(const Backend& cpu, const void* address) {
  const std::shared_ptr<Backend> devices = State::get().devices();
  if (devices == nullptr || devices.get() == &cpu) return {};
  const std::optional<Block> block = State::get().memory().find(address);
  if (block) return block->kind == MemoryKind::kDevice ? of_other_device(block->device) : "";
  const Location location = devices->locate(address);
  return location.place == Location::Place::kDevice ? of_other_device(location.device) : "";
}

// On the CPU device, what would be a fault on an NPU is one too.
std::string outside_cpu_device(const Where& where, const Operand& operand) {
  const std::optional<Allocation>& memory = operand.allocation;
  if (memory && memory->holds(operand.begin, operand.end)) {
    if (memory->kind != MemoryKind::kHost) return {};
    return std::string("host memory of aclrtMallocHost") + kWanted;
  }
  return what_lies_at(where.backend, pointer(operand.begin)) + kWanted;
}

std::string unusable(const Where& where, const Operand& operand) {
  if (where.takes_any_memory) {
    if (!operand.allocation && where.backend.owns_address(pointer(operand.begin)))
      return what_lies_at(where.backend, pointer(operand.begin));
    return unreachable_by_cpu(where.backend, pointer(operand.begin));
  }
  if (!where.backend.has_own_memory()) return outside_cpu_device(where, operand);
  const std::optional<Allocation>& memory = operand.allocation;
  if (memory && memory->kind == MemoryKind::kDevice && memory->backend == &where.backend &&
      memory->device == where.device) {
    return {};
  }
  const void* begin = pointer(operand.begin);
  if (where.backend.owns_address(begin)) return what_lies_at(where.backend, begin) + kWanted;
  std::string reason = where.backend.unreachable(where.device, begin, operand.end - operand.begin);
  if (reason.empty()) return {};
  if (State::get().memory().was_freed(begin) || !is_mapped(begin, 1))
    return what_lies_at(where.backend, begin) + kWanted;
  return reason;
}

Status refuse(const Call& call, const Touched& touched, const std::string& what) {
  return call.fail(ACL_ERROR_RT_PARAM_INVALID, "%s %p is %s", touched.argument, touched.begin, what.c_str());
}

// The block that holds the first byte, or lies further on among them.
Status check_block(const Call& call, const Touched& touched, const Block& block) {
  const bool own = block.kind == MemoryKind::kRegistered && touched.side != Side::kDevice;
  if (own) return ACL_SUCCESS;  // the program's memory on both sides of the registered part
  if (!block.holds(touched.begin)) {
    const auto ahead = static_cast<std::size_t>(block.begin - static_cast<const std::byte*>(touched.begin));
    return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                     "%s %p: %zu bytes begin %zu bytes before the allocation at %p and run into it",
                     touched.argument, touched.begin, touched.bytes, ahead, static_cast<void*>(block.begin));
  }
  const std::size_t room = block.room(touched.begin);
  if (touched.bytes <= room) return ACL_SUCCESS;
  return call.fail(ACL_ERROR_RT_PARAM_INVALID,
                   "%s %p: %zu bytes run %zu bytes past the end of the allocation", touched.argument,
                   touched.begin, touched.bytes, touched.bytes - room);
}

// No live block holds any of the bytes.
Status check_unknown(const Call& call, const Where& where, const Touched& touched) {
  const auto* last = static_cast<const std::byte*>(touched.begin) + (touched.bytes - 1);
  for (const void* address : {touched.begin, static_cast<const void*>(last)}) {
    if (where.backend.owns_address(address))
      return refuse(call, touched, what_lies_at(where.backend, address));
  }
  const bool pageable = where.backend.locate(touched.begin).place == Location::Place::kPageable;
  if (where.takes_any_memory) {
    const std::string reason = unreachable_by_cpu(where.backend, touched.begin);
    return reason.empty() ? ACL_SUCCESS : refuse(call, touched, reason);
  }
  if (!pageable) return ACL_SUCCESS;  // another allocator's, which the device knows
  const bool stale = where.backend.has_own_memory() && State::get().memory().was_freed(touched.begin);
  if (touched.side != Side::kDevice && !stale) return ACL_SUCCESS;
  return refuse(call, touched, what_lies_at(where.backend, touched.begin) + kWanted);
}

}  // namespace

Where where_is(const Stream& stream) {
  return {*stream.backend, stream.device, stream.free_standing && !stream.backend->has_own_memory()};
}

Status check_operands(const Call& call, const Stream& stream, std::span<const Operand> operands) {
  const Where where = where_is(stream);
  for (const Operand& operand : operands) {
    const std::string reason = unusable(where, operand);
    if (reason.empty()) continue;
    return call.fail(ACLNN_ERR_PARAM_INVALID, "%s's data address (%p) is %s", operand.argument,
                     pointer(operand.begin), reason.c_str());
  }
  return ACL_SUCCESS;
}

Status check_touched(const Call& call, const Where& where, const Touched& touched, Leases& leases) {
  if (touched.bytes > UINTPTR_MAX - reinterpret_cast<std::uintptr_t>(touched.begin)) {
    return call.fail(ACL_ERROR_RT_PARAM_INVALID, "%s %p: %zu bytes run past the end of the address space",
                     touched.argument, touched.begin, touched.bytes);
  }
  const std::optional<Block> block =
      State::get().memory().ask(touched.begin, touched.bytes, [](const Block& found) { return found; });
  if (!block) return check_unknown(call, where, touched);
  if (const Status status = check_block(call, touched, *block)) return status;
  if (where.takes_any_memory && block->kind == MemoryKind::kDevice && block->owner.get() != &where.backend)
    return refuse(call, touched, of_other_device(block->device));
  if (block->memory != nullptr) leases.push_back(block->memory);
  return ACL_SUCCESS;
}

bool is_known(const Backend& backend, const void* address) {
  return State::get().memory().ask(address, 1, [](const Block&) { return true; }).has_value() ||
         backend.locate(address).place != Location::Place::kPageable;
}

}  // namespace cairn
