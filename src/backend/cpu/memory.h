#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace cairn {

// Blocks from this size on are mapped by themselves, on huge pages: TLB misses show at the speed of memory.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

MemoryInfo system_memory();

// Zeroed and 64-byte aligned; null when there is not that much.
std::byte* allocate_zeroed(std::size_t bytes);
void release_zeroed(std::byte* memory, std::size_t bytes);

}  // namespace cairn
