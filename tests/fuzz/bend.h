#pragma once

#include <string>

#include "conformance/case.h"

namespace fuzz {

using conformance::Case;

// A call of any operator that the portable profile accepts.
Case sound_call(reference::Random& random);
// Changes one thing about it: mostly to something wrong, sometimes to something extreme.
void bend(reference::Random& random, Case& call);

// Prints what went wrong and ends the program, which is how a fuzzer is told.
[[noreturn]] void fail(const Case& call, const std::string& what);

}  // namespace fuzz
