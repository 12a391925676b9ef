#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace cairn {

// Vectors that cross a cache line cost twice.
template <typename E>
struct InCacheLines {
  using value_type = E;
  InCacheLines() = default;
  template <typename Other>
  InCacheLines(const InCacheLines<Other>& /*other*/) {
  }  // NOLINT(google-explicit-constructor): as containers want
  static constexpr std::align_val_t kLine{64};
  E* allocate(std::size_t count) { return static_cast<E*>(::operator new(count * sizeof(E), kLine)); }
  void deallocate(E* memory, std::size_t /*count*/) { ::operator delete(memory, kLine); }
  bool operator==(const InCacheLines&) const = default;
};

// Memory that begins with a cache line.
template <typename E>
using Aligned = std::vector<E, InCacheLines<E>>;

// At least `size` elements; what was there stays.
template <typename E>
void grow(Aligned<E>& memory, std::int64_t size) {
  if (static_cast<std::int64_t>(memory.size()) < size) memory.resize(static_cast<std::size_t>(size));
}

}  // namespace cairn
