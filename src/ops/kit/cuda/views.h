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

// Whether the elements of a plane, or all, follow each other without gaps.
inline bool is_dense(const View5& view, const Size3& size) {
  return view.w == 1 && (size.h == 1 || view.h == size.w) && (size.d == 1 || view.d == size.h * size.w);
}
inline bool is_dense(const View5& view, std::int64_t n, std::int64_t c, const Size3& size) {
  return is_dense(view, size) && (c == 1 || view.c == size.count()) && (n == 1 || view.n == c * size.count());
}

constexpr std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace cairn::cuda
