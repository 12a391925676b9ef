#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "common/view.h"

// What launchers ask of a tensor before they choose a kernel.
namespace cairn::cuda {

// Whether every address `base + multiples of steps` starts a whole pack of `count` elements.
inline bool in_packs(const void* base, int element, std::int64_t count,
                     std::initializer_list<std::int64_t> steps) {
  return reinterpret_cast<std::uintptr_t>(base) % static_cast<std::uintptr_t>(count * element) == 0 &&
         std::all_of(steps.begin(), steps.end(), [count](std::int64_t step) { return step % count == 0; });
}

using cairn::is_dense;

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace cairn::cuda
