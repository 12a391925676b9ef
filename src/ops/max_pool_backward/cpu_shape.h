#pragma once

#include <tuple>

#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// A window shape known at compile time, and a block of four cells that look at the same windows: kBlockRows
// rows of kStrideW cells each. Rows and offsets of windows are relative to the block's own (cell / stride).
template <int kKernelH, int kKernelW, int kStrideH, int kStrideW_, int kPaddingH, int kPaddingW>
struct WindowShape {
  static constexpr int kStrideW = kStrideW_;
  static constexpr int kBlockRows = 4 / kStrideW;
  static_assert(kBlockRows % kStrideH == 0);

  static constexpr int kFirstRow = -((kKernelH - 1 - kPaddingH) / kStrideH);
  static constexpr int kLastRow = (kBlockRows - 1 + kPaddingH) / kStrideH;
  static constexpr int kRows = kLastRow - kFirstRow + 1;
  static constexpr int kFirstOffset = -((kKernelW - 1 - kPaddingW) / kStrideW);
  static constexpr int kLastOffset = (kStrideW - 1 + kPaddingW) / kStrideW;

  static constexpr bool covers(int row, int offset, int cell) {
    const int tap_h = cell / kStrideW + kPaddingH - row * kStrideH;
    const int tap_w = cell % kStrideW + kPaddingW - offset * kStrideW;
    return 0 <= tap_h && tap_h < kKernelH && 0 <= tap_w && tap_w < kKernelW;
  }

  static constexpr bool is_that_of(const Plan& p) {
    return p.kernel.h == kKernelH && p.kernel.w == kKernelW && p.stride.h == kStrideH &&
           p.stride.w == kStrideW && p.padding.h == kPaddingH && p.padding.w == kPaddingW;
  }
};

// The shapes that networks use most; every other one goes through loops whose bounds are read at run time.
using CompiledShapes =
    std::tuple<WindowShape<2, 2, 2, 2, 0, 0>, WindowShape<3, 3, 2, 2, 1, 1>, WindowShape<3, 3, 2, 2, 0, 0>,
               WindowShape<3, 3, 1, 1, 1, 1>, WindowShape<5, 5, 1, 1, 2, 2>>;

// Calls body.operator()<Shape>() with the compiled shape of the plan; false if there is none.
template <typename Body>
bool with_compiled_shape(const Plan& plan, const Body& body) {
  const auto try_shape = [&]<class Shape>() {
    if (!Shape::is_that_of(plan)) return false;
    body.template operator()<Shape>();
    return true;
  };
  return [&]<class... Shapes>(std::tuple<Shapes...>*) {
    return (try_shape.template operator()<Shapes>() || ...);
  }(static_cast<CompiledShapes*>(nullptr));
}

}  // namespace cairn::max_pool_backward
