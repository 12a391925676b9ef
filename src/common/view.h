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

// The view of a tensor without gaps.
constexpr View5 dense_view(std::int64_t c, const Size3& size) {
  return {.n = c * size.count(), .c = size.count(), .d = size.h * size.w, .h = size.w, .w = 1};
}

// Whether elements of so many bytes lie where they can be loaded: those of a mask may begin with any byte.
inline bool is_aligned(const View5& view, int element) {
  return reinterpret_cast<std::uintptr_t>(view.data) % static_cast<unsigned>(element) == 0;
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
