#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"
#include "ops/kit/taps/axis.h"
#include "reference/linear.h"

// What linear, cubic and antialiased upsampling share with their gradients.
namespace conformance {

// Now and then all axes are taken times a whole number, with rows or channels in packs, or nearly so. Says
// whether.
bool draw_whole_ratio(Random& random, UpsampleGeometry& geometry, const Subject& subject, Extent extent);
// alignCorners, in so many of a hundred cases, and the scales, as the operator has them.
void push_resampling(Random& random, Case& it, const UpsampleGeometry& geometry, int aligned = 30);
// By which a call computes: scales that do not count are 0.
reference::Resample resample_of(const Case& it);
// An axis as kernels take it: 0 is D.
cairn::FilterAxis filter_axis(const reference::Resample& how, std::size_t axis, const View& small,
                              const View& large);

}  // namespace conformance
