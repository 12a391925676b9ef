#pragma once

#include <cuda_runtime.h>

// Declares the shared memory that the launch asked for, as the words that a kernel keeps there. A function
// that returned it would be the same in C++, but not to the compiler, which then computes addresses in
// another order.
#define CAIRN_SHARED_MEMORY(Word, name) extern __shared__ __align__(16) Word name[]
