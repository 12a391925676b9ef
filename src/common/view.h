#pragma once

#include <cstdint>

namespace cairn {

// A tensor as a kernel sees it: where element (0,0,0,0,0) lies and the distance, in elements, between
// neighbours along N, C, D, H and W. An axis the tensor does not have has size 1 and stride 0.
struct View5 {
  void* data = nullptr;
  std::int64_t n = 0;
  std::int64_t c = 0;
  std::int64_t d = 0;
  std::int64_t h = 0;
  std::int64_t w = 0;
  std::int64_t offset = 0;  // in elements; already in `data` once the plan is bound
};

// D, H and W.
struct Size3 {
  std::int64_t d = 1;
  std::int64_t h = 1;
  std::int64_t w = 1;
  constexpr std::int64_t count() const { return d * h * w; }
};

// The stride of an axis with one element never counts: 0, along W 1, so that kernels need not ask twice.
constexpr View5 counted_strides(View5 view, std::int64_t n, std::int64_t c, const Size3& size) {
  if (n == 1) view.n = 0;
  if (c == 1) view.c = 0;
  if (size.d == 1) view.d = 0;
  if (size.h == 1) view.h = 0;
  if (size.w == 1) view.w = 1;
  return view;
}

// Whether the elements of a plane, or all, follow each other without gaps.
constexpr bool is_dense(const View5& view, const Size3& size) {
  return (size.w == 1 || view.w == 1) && (size.h == 1 || view.h == size.w) &&
         (size.d == 1 || view.d == size.h * size.w);
}
constexpr bool is_dense(const View5& view, std::int64_t n, std::int64_t c, const Size3& size) {
  return is_dense(view, size) && (c == 1 || view.c == size.count()) && (n == 1 || view.n == c * size.count());
}

}  // namespace cairn
