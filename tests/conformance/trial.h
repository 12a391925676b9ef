#pragma once

#include "conformance/case.h"

namespace conformance {

// A case in memory, and what the oracle makes of it.
struct Trial {
  Trial(Case call, Random& random);

  Case it;
  std::vector<std::optional<reference::Operand>> operands;  // by argument: the tensors that have memory
  std::vector<std::size_t> inputs;                          // which arguments those are
  std::vector<std::size_t> outputs;
  std::vector<reference::Operand> expected;  // of the outputs
  std::optional<Fault> fault;
  std::int64_t elements = 0;  // of all of them

  // By argument. With `elsewhere`, in that memory: an address for each argument.
  std::vector<View> views(std::span<unsigned char* const> elsewhere = {}) const;
  PlanBytes plan(std::span<unsigned char* const> elsewhere = {}) const;
};

// Sums that are NaN must be the quiet one without sign and payload. In plain numbers, apart from what the
// oracle does.
struct NanCount {
  std::int64_t all = 0;
  std::int64_t others = 0;  // with other bits
};
NanCount count_nans(const View& view);

std::string to_text(const std::optional<Fault>& fault);

}  // namespace conformance
