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

// What is common to both; empty if nothing is.
constexpr Span intersect(const Span& a, const Span& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

}  // namespace cairn
