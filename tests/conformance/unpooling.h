#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What max unpooling and its backward share.
namespace conformance {

reference::Type random_unpool_type(Random& random);

// outputSize, stride and padding; only the first says anything.
void push_sizes(Case& it, Random& random, const Draft& draft, const UnpoolGeometry& geometry);

// Indices as a pooling would have left them, whose windows lie side by side or overlap.
void fill_unpool_indices(const Case& it, Random& random, const View& indices, const Triple& unpooled);

}  // namespace conformance
