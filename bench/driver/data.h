#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "workload.h"

namespace cairn::bench {

// Where element (n, c, s) of a tensor lies, s being the flat position in its plane.
struct Placement {
  std::int64_t channels;
  std::int64_t plane;
  Layout layout;
  std::int64_t operator()(std::int64_t n, std::int64_t c, std::int64_t s) const {
    return layout == Layout::kChannelsFirst ? (n * channels + c) * plane + s : (n * plane + s) * channels + c;
  }
};

// The pooled positions of random data under the workload's window; none if the row makes its own. Only the
// order of the data matters for an argmax, so uniform values stand for normal ones.
std::vector<std::int64_t> make_indices(const Case& row);

std::vector<std::byte> narrow_indices(const std::vector<std::int64_t>& values, aclDataType type);

// What the row reads: values of both signs, without zeros, in its type.
std::vector<std::byte> make_values(const Case& row);

// The bytes the operator must move: each tensor once. Unpool's backward reads only the lines of gradOutput,
// of so many bytes, that its indices point into.
std::int64_t bytes_to_move(const Case& row, const std::vector<std::int64_t>& indices, std::int64_t line);

std::int64_t size_of(aclDataType type);

}  // namespace cairn::bench
