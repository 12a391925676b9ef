#pragma once

#include <cstddef>

#include "backend/backend.h"

namespace cairn {

// Blocks from this size on are mapped by themselves, on huge pages: TLB misses show at the speed of memory.
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

MemoryInfo system_memory();

// Whether a request makes sense: Linux would promise more than there is and kill the process later.
bool there_is_memory_for(std::size_t bytes);

// Zeroed and 64-byte aligned; null when there is not that much.
std::byte* allocate_zeroed(std::size_t bytes);
void release_zeroed(std::byte* memory, std::size_t bytes);

}  // namespace cairn
