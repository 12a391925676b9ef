#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"
#include "ops/kit/mean_axis.h"
#include "reference/mean.h"

// What mean pooling and its gradient share, with windows and adaptive.
namespace conformance {

bool is_adaptive(const Subject& subject);

// Sizes without dilation, each plane with cells; adaptive ones have no window. `whole_windows`: none is
// larger than a plane.
PoolGeometry random_mean_geometry(const Subject& subject, Random& random, Extent extent, bool whole_windows);

// kernelSize, stride, padding, ceilMode, countIncludePad, divisorOverride and, of images, cubeMathType.
void push_mean_windows(Case& it, Random& random, const Draft& draft, const PoolGeometry& geometry);
// The same as the oracle takes them; kernelSize, where there is one, is argument `first`.
reference::Mean mean_of(const Case& it, std::size_t first);

// What a plan has of them.
cairn::MeanAxis mean_axis(const reference::Mean& how, std::size_t axis, const View& cells,
                          const View& windows);
cairn::MeanDivisor mean_divisor(const reference::Mean& how, const View& cells, const View& windows);

// Taps of all windows, or a number larger than any.
std::int64_t taps_of(const reference::Mean& how, const View& cells, const View& windows);

}  // namespace conformance
