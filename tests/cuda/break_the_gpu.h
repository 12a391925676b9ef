#pragma once

namespace cuda_test {

// Runs a kernel that stores where there is no memory: the context is broken from then on.
void break_the_gpu();

}  // namespace cuda_test
