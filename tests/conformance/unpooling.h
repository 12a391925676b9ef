#pragma once

#include "conformance/draft.h"
#include "conformance/geometry.h"

// What max unpooling and its backward share.
namespace conformance {

// Whether out may lie anywhere and, of the backward, have another type: not so in volumes.
inline bool has_free_out(const Subject& subject) { return subject.spatial < 3 || !subject.is_operator(); }

reference::Type random_unpool_type(Random& random);
// Any that an element of this one may be stored as, often the same.
reference::Type random_out_type(Random& random, reference::Type from);
reference::LayoutKind random_out_layout(const Subject& subject, Random& random);

// outputSize, stride and padding; only the first says anything.
void push_sizes(Case& it, Random& random, const Draft& draft, const UnpoolGeometry& geometry);

// Indices as a pooling would have left them, whose windows lie side by side or overlap.
void fill_unpool_indices(const Case& it, Random& random, const View& indices, const Triple& unpooled);

}  // namespace conformance
