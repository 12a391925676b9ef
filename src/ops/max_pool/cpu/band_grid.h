#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/row_buffers.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// Where the cells that a stretch of windows looks at lie once a row is laid out, and which of them each
// window has as its taps. With windows two apart there are two phases, of the cells at even and at odd
// places, so that neighbouring windows have neighbouring taps either way.
struct BandGrid {
  static constexpr std::int64_t kMostKernel = 16;

  std::int64_t windows = 0;
  std::int64_t pitch = 0;  // of rows of windows
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int32_t start = 0;  // along W, of the first window
  std::int32_t width = 0;  // of a plane
  std::int64_t cells = 0;
  std::int64_t lead = 0;                // room before a phase's cells, for padding; whole vectors
  std::int64_t phase = 0;               // from one phase to the next
  std::int64_t row = 0;                 // from one row to the next
  std::int64_t taps[kMostKernel] = {};  // where the first window's lie in a row
  Span behind[2] = {};                  // of each phase, padding behind its cells

  BandGrid() = default;
  // Windows of one stretch, looking at `cells_seen` along W; `lanes` to a vector.
  BandGrid(const WindowAxis& axis, const Span& stretch, const Span& cells_seen, std::int64_t row_pitch,
           std::int64_t lanes)
      : windows(stretch.size()),
        pitch(row_pitch),
        kernel(axis.kernel),
        stride(axis.stride),
        start(static_cast<std::int32_t>(axis.start(stretch.begin))),
        width(static_cast<std::int32_t>(axis.in)),
        cells(cells_seen.size()) {
    const auto whole = [lanes](std::int64_t count) { return (count + lanes - 1) / lanes * lanes; };
    const std::int64_t before = cells_seen.begin - axis.start(stretch.begin);
    lead = whole((before + stride - 1) / stride);
    const std::int64_t last_tap = windows + (kernel - 1) / stride;
    phase = lead + whole(std::max(last_tap, (cells + stride - 1) / stride)) + lanes;
    row = stride * phase;
    for (std::int64_t k = 0; k < kernel; ++k) {
      // Divisions round down: taps in the padding before the cells are negative here.
      const std::int64_t cell = k - before + stride * lead;
      taps[k] = cell % stride * phase + cell / stride;
    }
    for (std::int64_t i = 0; i < stride; ++i) {
      const std::int64_t end = lead + (cells - i + stride - 1) / stride;
      behind[i] = {i * phase + end, i * phase + std::max(end, lead + last_tap)};
    }
  }
};

// How many input rows a block may look at: halves have 16 bits for positions in what it looks at.
inline std::int64_t most_input_rows(const Plan& plan) {
  constexpr std::int64_t kPositions = 0x10000;
  if (plan.type == DataType::kFloat) return plan.in.h;
  return (kPositions - (plan.kernel.d - 1) * plan.in.h * plan.in.w) / plan.in.w;
}

inline BlockLimits band_limits(const Plan& plan) {
  BlockLimits limits = row_limits(plan);
  const std::int64_t most = most_input_rows(plan);
  if (most < plan.in.h) limits.rows = std::min(limits.rows, (most - plan.kernel.h) / plan.stride.h + 1);
  return limits;
}

}  // namespace cairn::max_pool
