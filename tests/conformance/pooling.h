#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What max pooling and its backward share: kernelSize, stride, padding, dilation and ceilMode follow each
// other.
namespace conformance {

// DOUBLE, which has few kernels, comes less often than the others.
reference::Type random_pool_type(Random& random);
void push_window(Case& it, Random& random, const Draft& draft, const PoolGeometry& geometry);
// The window whose kernelSize is argument `first`.
reference::Window window_of(const Case& it, std::size_t first);
// Taps of so many windows, or a number larger than any where they could not be walked.
std::int64_t taps_of(const reference::Window& window, std::int64_t windows);

}  // namespace conformance
