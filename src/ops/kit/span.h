#pragma once

#include <algorithm>
#include <cstdint>

namespace cairn {

// Half-open range along one axis.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  constexpr std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
  constexpr bool has(std::int64_t i) const { return begin <= i && i < end; }
  constexpr bool operator==(const Span&) const = default;
};

}  // namespace cairn
