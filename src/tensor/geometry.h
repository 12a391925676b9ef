#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "tensor/bridge.h"

namespace cairn {

// In bytes. Types without a size (strings) count as one byte; operators refuse them.
std::int64_t element_size(aclDataType type);

// Nothing when a dim is negative or the product does not fit; a zero dim makes it 0 whatever the others are.
std::optional<std::int64_t> element_count(std::span<const std::int64_t> dims);

// The bytes between the view's first and last element, both included; {0, 0} for a view without elements.
// Nothing when a dim, stride or offset is negative or an end does not fit.
std::optional<ByteRange> byte_range(const TensorDesc& view);

// Whether the view has elements, no gaps, and a last axis that runs fastest. The stride of an axis with one
// element never counts, unless it is negative.
bool is_dense(const TensorDesc& view);

// All of that, for the description of a tensor that is about to be shared.
Extent extent_of(const TensorDesc& view);

// Whether two index tuples of the view name one element. Exact, unless the search grows past its limit: then
// the answer is true, as it is when byte_range has none.
bool elements_overlap(const TensorDesc& view);

// Whether the views share a byte when their storage begins at these addresses. Interleaved views that share
// none do not overlap. Exact in the same sense.
bool views_overlap(const TensorDesc& a, const void* base_a, const TensorDesc& b, const void* base_b);

}  // namespace cairn
