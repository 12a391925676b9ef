#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "data.h"
#include "reference/number.h"

// What the plain loops work on.
namespace cairn::bench {

struct Float16 {
  std::uint16_t bits;
  operator float() const {  // NOLINT(google-explicit-constructor); Inf and NaN are not among the data
    const std::uint32_t wide = (bits & 0x7FFFU) << 13 | (bits & 0x8000U) << 16;
    return std::bit_cast<float>(wide) * 0x1p112F;
  }
  explicit Float16(float value) : bits(reference::float_to_float16(value)) {}
};
struct Bf16 {
  std::uint16_t bits;
  operator float() const {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }
  explicit Bf16(float value) : bits(reference::float_to_bf16(value)) {}
};

// One call: memory of the tensors, and where their elements lie.
struct Task {
  Case row;
  std::byte* source_memory;
  std::byte* index_memory;
  std::byte* result_memory;
  Strides from = source_strides(row);
  Strides at = strides_of(row, row.indices());
  Strides to = result_strides(row);

  template <typename T>
  const T* source(std::int64_t n, std::int64_t c) const {
    return reinterpret_cast<const T*>(source_memory) + n * from.n + c * from.c;
  }
  template <typename Index>
  Index* indices(std::int64_t n, std::int64_t c) const {
    return reinterpret_cast<Index*>(index_memory) + n * at.n + c * at.c;
  }
  template <typename T>
  T* result(std::int64_t n, std::int64_t c) const {
    return reinterpret_cast<T*>(result_memory) + n * to.n + c * to.c;
  }
  template <typename Body>
  void for_each_plane(Body body) const {
    for (std::int64_t n = 0; n < row.work.n; ++n)
      for (std::int64_t c = 0; c < row.work.c; ++c) body(n, c);
  }
};

template <typename Body>
void for_each_cell(const Shape3& size, Body body) {
  for (std::int64_t d = 0; d < size.d; ++d)
    for (std::int64_t h = 0; h < size.h; ++h)
      for (std::int64_t w = 0; w < size.w; ++w) body(d, h, w);
}

// What elements are compared and summed in.
template <typename T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Mean pooling, adaptive or with windows, and its gradient.
template <typename T>
void mean_pool(const Task& task);
template <typename T>
void mean_pool_backward(const Task& task);

// Upsampling by weighted sums and its gradient.
template <typename T>
void resample(const Task& task);

}  // namespace cairn::bench
