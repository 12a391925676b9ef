#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "backend/kernel.h"
#include "common/view.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/rows.h"

// Planes put side by side, as channels-last tensors have them: where the cells of a plane are summed in an
// order that suits no vector, those of several planes at one place are.
namespace cairn {

// Element i of line l becomes element i * pitch + l, and back. `width`, the number of lines, is a multiple of
// four.
void interleave_lines(const float* const* lines, std::int64_t width, std::int64_t count, std::int64_t pitch,
                      float* to);
void separate_lines(const float* from, std::int64_t width, std::int64_t count, std::int64_t pitch,
                    float* const* lines);
// The same of other elements, whose bits are copied.
template <typename E>
void interleave_lines(const E* const* lines, std::int64_t width, std::int64_t count, std::int64_t pitch,
                      E* to) {
  if constexpr (sizeof(E) == sizeof(float)) {
    interleave_lines(reinterpret_cast<const float* const*>(lines), width, count, pitch,
                     reinterpret_cast<float*>(to));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t l = 0; l < width; ++l) to[i * pitch + l] = lines[l][i];
  }
}
template <typename E>
void separate_lines(const E* from, std::int64_t width, std::int64_t count, std::int64_t pitch,
                    E* const* lines) {
  if constexpr (sizeof(E) == sizeof(float)) {
    separate_lines(reinterpret_cast<const float*>(from), width, count, pitch,
                   reinterpret_cast<float* const*>(lines));
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      for (std::int64_t l = 0; l < width; ++l) lines[l][i] = from[i * pitch + l];
  }
}

// Whoever computes one stack does so alone.
class OneThread final : public Workers {
 public:
  int count() const override { return 1; }
  int worth(std::int64_t /*nanoseconds*/) const override { return 1; }
  void run(std::int64_t tasks, int /*lanes*/, FunctionRef<void(std::int64_t)> body) override {
    for (std::int64_t task = 0; task < tasks; ++task) body(task);
  }
};

constexpr std::int64_t kWidestStack = 16;

// Whether planes of so many elements each, cells and windows, are worth it: neither so few that they are done
// sooner, nor so many that they leave the cache.
constexpr bool is_worth_stacking(std::int64_t planes, std::int64_t elements) {
  constexpr std::int64_t kFewest = 512;
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  return elements <= kMost && planes * elements >= kFewest;
}

// How many of them lie side by side.
constexpr std::int64_t stack_width(std::int64_t planes, std::int64_t elements) {
  constexpr std::int64_t kMany = std::int64_t{1} << 17;
  return planes <= 4 || elements > kMany ? 4 : planes <= 8 ? 8 : kWidestStack;
}

// The view of such a stack.
constexpr View5 stack_view(void* data, std::int64_t width, const Size3& size) {
  return {.data = data,
          .n = 0,
          .c = 1,
          .d = size.d == 1 ? 0 : size.h * size.w * width,
          .h = size.h == 1 ? 0 : size.w * width,
          .w = width};
}

// `count` planes of a tensor with `channels`, from plane `first` on. Floating-point elements are widened to
// what they are summed in, and rounded; integers are bits.
template <typename T>
class PlaneStack {
 public:
  using Sum = std::conditional_t<std::is_integral_v<T>, T, SumOf<T>>;

  PlaneStack(const View5& view, std::int64_t channels, const Size3& size, std::int64_t width)
      : view_(view), channels_(channels), size_(size), width_(width), pitch_(width) {
    // Planes without gaps are one long row each.
    if (is_dense(view, size)) size_ = {1, 1, size.count()};
    if (size_.w == 1) view_.w = 1;
    step_ = size_.w * width;
    if (view_.w != 1 && view_.h == 1) {
      // Rows that lie across: columns are read.
      std::swap(view_.h, view_.w);
      std::swap(size_.h, size_.w);
      std::swap(pitch_, step_);
    }
    grow(lines_, (kInPlace && view_.w == 1 ? 1 : width) * kPiece);
  }

  void stack(std::int64_t first, std::int64_t count, Sum* to) {
    each_piece([&](std::int64_t offset, std::int64_t place, std::int64_t cells) {
      const Sum* lines[kWidestStack];
      for (std::int64_t l = 0; l < width_; ++l) {
        lines[l] = l < count ? line(first + l, offset, cells, l) : lines[0];
      }
      interleave_lines(lines, width_, cells, pitch_, to + place);
    });
  }

  void unstack(const Sum* from, std::int64_t first, std::int64_t count) {
    each_piece([&](std::int64_t offset, std::int64_t place, std::int64_t cells) {
      Sum* lines[kWidestStack];
      for (std::int64_t l = 0; l < width_; ++l) {
        if constexpr (kInPlace) {
          if (view_.w == 1) {
            lines[l] = l < count ? address(first + l) + offset : lines_.data();
            continue;
          }
        }
        lines[l] = lines_.data() + l * kPiece;
      }
      separate_lines(from + place, width_, cells, pitch_, lines);
      if (kInPlace && view_.w == 1) return;
      for (std::int64_t l = 0; l < count; ++l) put(lines[l], address(first + l) + offset, cells);
    });
  }

 private:
  static constexpr bool kInPlace = std::is_same_v<T, Sum>;
  static constexpr std::int64_t kPiece = 256;  // cells

  T* address(std::int64_t plane) const {
    return static_cast<T*>(view_.data) + plane / channels_ * view_.n + plane % channels_ * view_.c;
  }

  // Calls body(offset, place, cells): where a piece of a row begins in its plane, and in the stack.
  template <typename Body>
  void each_piece(const Body& body) const {
    for (std::int64_t d = 0; d < size_.d; ++d)
      for (std::int64_t h = 0; h < size_.h; ++h)
        for (std::int64_t w = 0; w < size_.w; w += kPiece)
          body(d * view_.d + h * view_.h + w * view_.w,
               d * size_.h * size_.w * width_ + h * step_ + w * pitch_, std::min(kPiece, size_.w - w));
  }

  const Sum* line(std::int64_t plane, std::int64_t offset, std::int64_t cells, std::int64_t place) {
    const T* from = address(plane) + offset;
    if constexpr (kInPlace) {
      if (view_.w == 1) return from;
    }
    Sum* to = lines_.data() + place * kPiece;
    if constexpr (std::is_integral_v<T>) {
      for (std::int64_t i = 0; i < cells; ++i) to[i] = from[i * view_.w];
    } else {
      widen_row(from, view_.w, to, cells);
    }
    return to;
  }
  void put(const Sum* from, T* to, std::int64_t cells) const {
    if constexpr (std::is_integral_v<T>) {
      for (std::int64_t i = 0; i < cells; ++i) to[i * view_.w] = from[i];
    } else {
      narrow_row(from, to, view_.w, cells);
    }
  }

  View5 view_;
  const std::int64_t channels_;
  Size3 size_;
  const std::int64_t width_;
  std::int64_t pitch_, step_ = 0;  // from a cell to the next, and from a row, in the stack
  Aligned<Sum> lines_;
};

}  // namespace cairn
