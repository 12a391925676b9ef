#pragma once

#include <cstddef>

namespace cairn {

// Numbers for what families.def lists.
enum class Family : std::size_t {
#define CAIRN_FAMILY(family) family,
#include "ops/families.def"
#undef CAIRN_FAMILY
};

}  // namespace cairn
