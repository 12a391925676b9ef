#pragma once

#include <span>

#include "runtime/bridge.h"
#include "runtime/state.h"

namespace cairn {

// 161002, reported, for the first operand that does not lie, from its first byte to its last, in memory that
// kernels on this stream may touch.
Status check_operands(const Call& call, const Stream& stream, std::span<const Operand> operands);

// Which memory a copy or fill may touch at one of its ends.
enum class Side {
  kAny,     // a block, or any memory of the program
  kDevice,  // one live block
};

struct Touched {
  const char* argument;
  const void* begin;
  std::size_t bytes;
  Side side;
};

// Where a copy, fill or kernel would run.
struct Where {
  const Backend& backend;
  std::int32_t device;
  bool takes_any_memory =
      false;  // a stream of cairnCreateCpuStream: the program's own memory is its device's
};
Where where_is(const Stream& stream);

// 107000, reported, when those bytes may not be touched. Adds to `leases` what keeps them alive.
Status check_touched(const Call& call, const Where& where, const Touched& touched, Leases& leases);

// Whether the address is known as memory that a device reaches.
bool is_known(const Backend& backend, const void* address);

}  // namespace cairn
