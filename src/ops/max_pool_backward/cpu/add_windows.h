#pragma once

#include <cstdint>

#include "hwy/base.h"

// Gradients added to sums, window after window. The loops are functions of their own, so that all they use
// stays in registers.
namespace cairn::max_pool_backward {

// Some windows of several planes; those of the next plane lie `pitch` further on.
template <typename Sum, typename Index>
struct Windows {
  const Index* indices;
  const Sum* gradients;
  std::int64_t index_pitch;
  std::int64_t gradient_pitch;
  std::int64_t count;  // of a plane
  std::int64_t planes;

  Windows from_plane(std::int64_t plane) const {
    return {indices + plane * index_pitch,
            gradients + plane * gradient_pitch,
            index_pitch,
            gradient_pitch,
            count,
            planes - plane};
  }
};

// Adds a gradient, or says that its index is a fault: it names no cell, and is not -1 either.
template <typename Sum, typename Index>
HWY_INLINE bool add_one(Sum* sums, std::uint64_t cells, Index index, Sum gradient) {
  const auto cell = static_cast<std::uint64_t>(std::int64_t{index});
  if (cell < cells) {
    sums[cell] += gradient;
    return false;
  }
  return index != -1;
}

// Plane after plane. True if there is a fault. kCount: the windows of a plane, or 0.
template <std::int64_t kCount, typename Sum, typename Index>
HWY_NOINLINE bool add_in_order(Sum* sums, std::uint64_t cells, const Windows<Sum, Index>& windows) {
  const Index* indices = windows.indices;
  const Sum* gradients = windows.gradients;
  const std::int64_t index_pitch = windows.index_pitch;
  const std::int64_t gradient_pitch = windows.gradient_pitch;
  const std::int64_t count = kCount != 0 ? kCount : windows.count;
  bool fault = false;
  for (std::int64_t plane = windows.planes; plane > 0; --plane) {
    for (std::int64_t i = 0; i < count; ++i) fault |= add_one(sums, cells, indices[i], gradients[i]);
    sums += cells;
    indices += index_pitch;
    gradients += gradient_pitch;
  }
  return fault;
}

// Four planes by turns: where windows overlap, neighbours often add to the same cell, and each would wait for
// the one before.
template <typename Sum, typename Index>
HWY_NOINLINE bool add_by_turns(Sum* sums, std::uint64_t cells, const Windows<Sum, Index>& windows) {
  const Index* const indices = windows.indices;
  const Index* const second_indices = indices + windows.index_pitch;
  const Index* const third_indices = second_indices + windows.index_pitch;
  const Index* const fourth_indices = third_indices + windows.index_pitch;
  const Sum* const gradients = windows.gradients;
  const Sum* const second_gradients = gradients + windows.gradient_pitch;
  const Sum* const third_gradients = second_gradients + windows.gradient_pitch;
  const Sum* const fourth_gradients = third_gradients + windows.gradient_pitch;
  Sum* const second_sums = sums + cells;
  Sum* const third_sums = second_sums + cells;
  Sum* const fourth_sums = third_sums + cells;
  const std::int64_t count = windows.count;
  bool fault = false;
  for (std::int64_t i = 0; i < count; ++i) {
    fault |= add_one(sums, cells, indices[i], gradients[i]);
    fault |= add_one(second_sums, cells, second_indices[i], second_gradients[i]);
    fault |= add_one(third_sums, cells, third_indices[i], third_gradients[i]);
    fault |= add_one(fourth_sums, cells, fourth_indices[i], fourth_gradients[i]);
  }
  return fault;
}

}  // namespace cairn::max_pool_backward
