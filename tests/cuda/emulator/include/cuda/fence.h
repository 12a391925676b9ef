#pragma once

#include <cstddef>

#include "emulator/sanitizer.h"

namespace cuda_test {

// Whoever touches it in between is reported by AddressSanitizer.
inline void forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(CUDA_EMULATOR_ASAN)
  __asan_poison_memory_region(memory, bytes);
#endif
}
inline void allow([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(CUDA_EMULATOR_ASAN)
  __asan_unpoison_memory_region(memory, bytes);
#endif
}

}  // namespace cuda_test
