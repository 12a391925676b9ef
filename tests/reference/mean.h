#pragma once

#include <cstdint>

#include "reference/oracle.h"

// Mean pooling with windows and adaptive mean pooling, and their gradients, as the definition reads.
namespace reference {

struct Mean {
  bool adaptive = false;  // then nothing of the rest counts
  Window window{};        // without dilation
  bool count_include_pad = true;
  std::int64_t divisor_override = 0;  // 0: not given
};

// out[o] = the sum of the window's taps, ascending, divided by its divisor; in float (double for DOUBLE),
// rounded once. The sum of more than 64 goes through 64 lanes, that of more than 4096 through runs.
void mean_pool(const View& self, const View& out, const Mean& how);

// Each gradient is divided by its window's divisor; a cell's sum is over the windows that hold it, ascending.
void mean_pool_backward(const View& grad_output, const View& grad_input, const Mean& how);

}  // namespace reference
