#pragma once

#include <cstdint>
#include <optional>

#include "backend/kernel.h"

// What methods share that take many small planes of indices, one behind the other.
namespace cairn {

// In place of the first position whose index is neither in its plane nor -1, where there is none.
inline constexpr std::int64_t kNoFault = INT64_MAX;

template <typename Index>
std::optional<IndexFault> fault_at(std::int64_t position, const Index* indices, std::int64_t cells) {
  if (position == kNoFault) return std::nullopt;
  return IndexFault{position, indices[position], cells};
}

// Calls body<kCount>() with the number of indices in a plane where it is a common one, which loops are
// unrolled for, and body<0>() where it is known at run time alone.
template <typename Body>
decltype(auto) with_common_count(std::int64_t count, const Body& body) {
  switch (count) {
    case 1:
      return body.template operator()<1>();
    case 4:
      return body.template operator()<4>();
    case 8:
      return body.template operator()<8>();
    default:
      return body.template operator()<0>();
  }
}

}  // namespace cairn
