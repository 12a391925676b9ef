#pragma once

#include <cstdint>

namespace cairn {

// An aclError or an aclnnStatus: CANN uses one number space for both.
using Status = std::int32_t;

}  // namespace cairn
