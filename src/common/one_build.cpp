#include "common/one_build.h"

namespace {

// Data, not a call: it is looked up when the library is loaded.
[[maybe_unused, gnu::used]] const char* const kNeeded = &CAIRN_ONE_BUILD;

}  // namespace
