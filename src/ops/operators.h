#pragma once

#include <span>
#include <vector>

#include "ops/contract.h"

namespace cairn {

struct ArgumentInfo {
  const char* name;
  const char* type;
  const char* text;
};

// An operator as the tool, the tests and the reference pages see it.
struct OperatorInfo {
  Operator op;
  const char* page;    // its reference page is docs/operators/<page>.md
  const char* header;  // what a program includes
  std::span<const ArgumentInfo> arguments;
  std::vector<RuleInfo> (*rules)();  // of phase 1, in the order in which they are checked
};

// The operators of this library.
std::span<const OperatorInfo> operators();

}  // namespace cairn
