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

// Whether all channels of a view of planes this wide lie in packs. The stride along W of one element does not
// count.
inline bool channels_in_packs(const View5& view, int element, std::int64_t count, std::int64_t channels,
                              std::int64_t width) {
  return channels > 1 && view.c == 1 &&
         in_packs(view.data, element, count, {channels, view.n, view.d, view.h, width == 1 ? 0 : view.w});
}

using cairn::is_dense;

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace cairn::cuda
