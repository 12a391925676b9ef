#pragma once

#include <string>

#include "backend/backend.h"

namespace cairn {

// What lies at an address that is in no live block, for the end of a sentence: "device memory that has been
// freed", "host memory", "no memory of this process".
std::string what_lies_at(const Backend& backend, const void* address);

// Whether the process has memory at all of these addresses.
bool is_mapped(const void* begin, std::size_t bytes);

}  // namespace cairn
