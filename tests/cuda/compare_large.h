#pragma once

namespace cuda_test {

// The forward operators over tensors of more than 2^31 elements, in many planes and in one; the number of
// calls that came out wrong.
int check_large();

}  // namespace cuda_test
