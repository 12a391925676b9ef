#include "runtime/reach.h"

#include "aclnn/opdev/op_errno.h"

namespace cairn {
namespace {

std::string of_other_device(std::int32_t device) {
  return "memory of device " + std::to_string(device) + ", which the CPU cannot reach";
}

// A CPU stream may stand beside devices whose memory no CPU instruction can touch.
std::string unreachable_by_cpu(const Stream& stream, const void* address) {
  const std::shared_ptr<Backend> devices = State::get().devices();
  if (devices == nullptr || devices == stream.backend) return {};
  const std::optional<Block> block = State::get().memory().find(address);
  if (block) return block->kind == MemoryKind::kDevice ? of_other_device(block->device) : "";
  const Location location = devices->locate(address);
  return location.place == Location::Place::kDevice ? of_other_device(location.device) : "";
}

bool is_memory_of(const Stream& stream, const std::optional<Allocation>& allocation) {
  return allocation && allocation->backend == stream.backend.get() && allocation->device == stream.device;
}

std::string unreachable(const Stream& stream, const void* address) {
  if (!stream.backend->has_own_memory()) return unreachable_by_cpu(stream, address);
  return stream.backend->unreachable(stream.device, address);
}

}  // namespace

Status check_operands(const Call& call, const Stream& stream, std::span<const Operand> operands) {
  for (const Operand& operand : operands) {
    if (is_memory_of(stream, operand.allocation)) continue;
    const std::string reason = unreachable(stream, operand.address);
    if (reason.empty()) continue;
    return call.fail(ACLNN_ERR_PARAM_INVALID, "%s's data address (%p) is %s", operand.argument,
                     operand.address, reason.c_str());
  }
  return ACL_SUCCESS;
}

std::string unreachable_by_copies(const Stream& stream, const void* address) {
  return stream.backend->has_own_memory() ? "" : unreachable_by_cpu(stream, address);
}

}  // namespace cairn
