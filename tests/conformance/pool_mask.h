#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What the pooling with a mask and its backward share: indices is a mask, a buffer of bytes.
namespace conformance {

bool has_mask(const Subject& subject);

// Few enough planes for the mask not to outgrow everything else; now and then windows of one tap.
PoolGeometry random_mask_geometry(Random& random, int spatial, Extent extent);
TensorArgument draw_mask(Random& random, const Draft& draft, Role role, const PoolGeometry& geometry);

// The positions at the front of a mask, shaped as the windows; of other operators, the indices themselves.
View positions_of(const Case& it, const View& indices, const View& windows);
bool has_single_taps(const Case& it, const reference::Window& window);
// What the forward of such windows writes.
void set_ones(const View& mask, const View& windows);

// What a plan says of them.
cairn::DataType plan_index_type(const Case& it, const View& indices, const reference::Window& window);
cairn::View5 plan_indices(const Case& it, std::size_t i, const View& indices, const View& windows);

}  // namespace conformance
