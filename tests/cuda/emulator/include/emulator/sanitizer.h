#pragma once

// AddressSanitizer has to be told of stacks that are not the system's.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_EMULATOR_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define CUDA_EMULATOR_ASAN 1
#endif
#if defined(CUDA_EMULATOR_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
