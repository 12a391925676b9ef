#pragma once

#include <span>

#include "runtime/bridge.h"
#include "runtime/state.h"

namespace cairn {

// 161002, reported, for the first operand that kernels of the stream's device cannot use.
Status check_operands(const Call& call, const Stream& stream, std::span<const Operand> operands);

// Why a copy or fill in the stream cannot touch the memory at `address`; empty when it can.
std::string unreachable_by_copies(const Stream& stream, const void* address);

}  // namespace cairn
