#pragma once

#include <cstdint>

#include "common/view.h"

// Images whose channels lie side by side, taken as planes in which channel c of cell i is element
// i * channels + c.
namespace cairn {

// Whether each image is one run.
constexpr bool is_image(const View5& view, std::int64_t channels, const Size3& size) {
  return view.c == 1 && (size.w == 1 || view.w == channels) && (size.h == 1 || view.h == channels * size.w) &&
         (size.d == 1 || view.d == channels * size.w * size.h);
}

constexpr Size3 image_size(const Size3& size, std::int64_t channels) {
  return {size.d, size.h, size.w * channels};
}

constexpr View5 image_view(View5 view) {
  view.c = 0;
  view.w = 1;
  return view;
}

}  // namespace cairn
