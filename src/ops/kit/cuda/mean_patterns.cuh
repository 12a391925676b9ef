#pragma once

#include <cuda_runtime.h>

#include "ops/kit/cuda/mean_axis.cuh"

namespace cairn::cuda {

// Mean pooling: a result is a window, its sources are cells.
struct MeanForward {
  static constexpr bool kForward = true;

  __device__ static Cells reach(const NarrowMeanAxis& axis, int window) { return axis.cells(window); }
  // The first source of results that follow a pattern; may lie in the padding.
  __device__ static int first(const NarrowMeanAxis& axis, int window) {
    return window * axis.stride - axis.padding;
  }
};

// Its gradient: a result is a cell, its sources are the shares of the windows that have it.
struct MeanBackward {
  static constexpr bool kForward = false;

  __device__ static Cells reach(const NarrowMeanAxis& axis, int cell) { return axis.windows(cell); }
  __device__ static int first(const NarrowMeanAxis& axis, int cell) {
    const int first = cell + axis.padding - axis.kernel + axis.stride;  // rounded up
    return first >= 0 ? static_cast<int>(axis.by_stride.divide(first)) : first;
  }
};

enum class MeanPattern { kNone, kThreesByOne, kThreesByTwo, kTwosByTwo, kUnderOne };

// Which sources neighbouring results along one axis have, where that is the same all over: result i has
// count(i) of them, beginning with first(i) of the kSources they have together. kLead of those come before
// a pack of kBody that begins where packs begin.

// Windows of three, one apart, or the cells under them.
template <int Results>
struct ThreesByOne {
  static constexpr MeanPattern kPattern = MeanPattern::kThreesByOne;
  static constexpr int kResults = Results, kSources = Results + 2, kLead = 1, kBody = Results;
  static constexpr __device__ int first(int i) { return i; }
  static constexpr __device__ int count(int /*i*/) { return 3; }
};
// Windows of three, two apart.
template <int Results, int Padding>
struct ThreesByTwo {
  static constexpr MeanPattern kPattern = MeanPattern::kThreesByTwo;
  static constexpr int kResults = Results, kSources = 2 * Results + 1, kLead = Padding, kBody = 2 * Results;
  static constexpr __device__ int first(int i) { return 2 * i; }
  static constexpr __device__ int count(int /*i*/) { return 3; }
};
// The cells under them: every other one lies in two.
template <int Results, int Padding>
struct UnderThreesByTwo {
  static constexpr MeanPattern kPattern = MeanPattern::kThreesByTwo;
  static constexpr int kResults = Results, kSources = Results / 2 + 1;
  static constexpr int kLead = 1 - Padding, kBody = Results / 2;
  static constexpr __device__ int first(int i) { return (i + 1 - Padding) / 2; }
  static constexpr __device__ int count(int i) { return (i + Padding) % 2 == 0 ? 2 : 1; }
};
// Windows of two side by side.
template <int Results>
struct TwosByTwo {
  static constexpr MeanPattern kPattern = MeanPattern::kTwosByTwo;
  static constexpr int kResults = Results, kSources = 2 * Results, kLead = 0, kBody = 2 * Results;
  static constexpr __device__ int first(int i) { return 2 * i; }
  static constexpr __device__ int count(int /*i*/) { return 2; }
};
// The cells under them.
template <int Results>
struct UnderTwosByTwo {
  static constexpr MeanPattern kPattern = MeanPattern::kTwosByTwo;
  static constexpr int kResults = Results, kSources = Results / 2, kLead = 0, kBody = Results / 2;
  static constexpr __device__ int first(int i) { return i / 2; }
  static constexpr __device__ int count(int /*i*/) { return 1; }
};
// Cells of one window.
template <int Results>
struct UnderOne {
  static constexpr MeanPattern kPattern = MeanPattern::kUnderOne;
  static constexpr int kResults = Results, kSources = 1, kLead = 0, kBody = 1;
  static constexpr __device__ int first(int /*i*/) { return 0; }
  static constexpr __device__ int count(int /*i*/) { return 1; }
};

}  // namespace cairn::cuda
