#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload.h"

namespace cairn::bench {

// From one element of a tensor to the next, along each axis.
struct Strides {
  std::int64_t n;
  std::int64_t c;
  std::int64_t d;
  std::int64_t h;
  std::int64_t w;
};
// A tensor of the row's planes in its layout.
Strides strides_of(const Case& row, const Shape3& size);
// The tensors of values: what the row reads, and what it makes.
Strides source_strides(const Case& row);
Strides result_strides(const Case& row);

// The positions that the row reads; none if it makes its own. Only the order of the data matters for an
// argmax, so uniform values stand for normal ones.
std::vector<std::int64_t> make_indices(const Case& row);

std::vector<std::byte> narrow_indices(const std::vector<std::int64_t>& values, aclDataType type);

// What the row reads: values of both signs, without zeros, in its type.
std::vector<std::byte> make_values(const Case& row);

// The bytes the operator must move: each tensor once. Unpool's backward reads only the lines of gradOutput,
// of so many bytes, that its indices point into; upsampling to fewer rows reads only those.
std::int64_t bytes_to_move(const Case& row, const std::vector<std::int64_t>& indices, std::int64_t line);

std::int64_t size_of(aclDataType type);

}  // namespace cairn::bench
