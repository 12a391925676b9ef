// The inner loops: cells look at the staged windows that cover them, first window first, and add up the
// gradients whose index is their own flat position. An accumulator that starts at +0.0 never becomes -0.0, so
// adding +0.0 where the index differs changes nothing.

#if defined(CAIRN_OPS_MAX_POOL_BACKWARD_CPU_COVER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_COVER_INL_H_
#undef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_COVER_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_BACKWARD_CPU_COVER_INL_H_
#endif

#include <algorithm>
#include <cstddef>

#include "hwy/highway.h"
#include "ops/max_pool_backward/cpu_shape.h"
#include "ops/max_pool_backward/cpu_stage-inl.h"
#include "ops/max_pool_backward/cpu_tile.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward {
namespace HWY_NAMESPACE {

using FloatVec = hn::Vec<FloatTag>;

// A block of rows of cells and the staged rows of windows that cover it.
struct Block {
  const std::int32_t* const*
      rows;  // [slice][row], ascending; the gradients lie `to_gradient` elements further
  std::int64_t slices;
  std::int64_t rows_per_slice;
  std::ptrdiff_t to_gradient;
  std::int64_t step;      // between neighbouring windows of a staged row
  std::int64_t width;     // cells along W
  std::int64_t channels;  // 1 with lanes along W
  std::int32_t position;  // flat position of the first cell
  float* out;             // [row][w][channel]; with lanes along W a vector past the end may be written
  // For shapes that are not compiled in: the windows along W that cover the cells w with w % stride == phase,
  // relative to w / stride.
  const Span* phases;
  std::int64_t stride_w;
};

HWY_INLINE FloatVec add_where(hn::Mask<IndexTag> mask, FloatVec sum, FloatVec gradient) {
  const FloatTag df;
  const auto float_mask = hn::RebindMask(df, mask);
#if HWY_TARGET <= HWY_AVX3
  return hn::IfThenElse(float_mask, hn::Add(sum, gradient), sum);
#else
  return hn::Add(sum, hn::IfThenElseZero(float_mask, gradient));
#endif
}

// Cell i of the four is in row i / kStrideW of the block, column i % kStrideW of the group.
struct FourCells {
  FloatVec sum0, sum1, sum2, sum3;
  IndexVec position0, position1, position2, position3;
};

template <class Shape, int kRow, int kOffset, int kCell>
HWY_INLINE void look(IndexVec index, FloatVec gradient, IndexVec position, FloatVec& sum) {
  if constexpr (Shape::covers(kRow, kOffset, kCell)) sum = add_where(hn::Eq(index, position), sum, gradient);
}

template <class Shape, int kRow, int kOffset>
HWY_INLINE void look_along_row(const std::int32_t* row, const float* gradients, std::int64_t step,
                               FourCells& cells) {
  if constexpr (kOffset <= Shape::kLastOffset) {
    const auto index = hn::LoadU(IndexTag(), row + kOffset * step);
    const auto gradient = hn::LoadU(FloatTag(), gradients + kOffset * step);
    look<Shape, kRow, kOffset, 0>(index, gradient, cells.position0, cells.sum0);
    look<Shape, kRow, kOffset, 1>(index, gradient, cells.position1, cells.sum1);
    look<Shape, kRow, kOffset, 2>(index, gradient, cells.position2, cells.sum2);
    look<Shape, kRow, kOffset, 3>(index, gradient, cells.position3, cells.sum3);
    look_along_row<Shape, kRow, kOffset + 1>(row, gradients, step, cells);
  }
}

template <class Shape, int kRow>
HWY_INLINE void look_along_rows(const std::int32_t* const* rows, const Block& block, std::int64_t at,
                                FourCells& cells) {
  if constexpr (kRow <= Shape::kLastRow) {
    const std::int32_t* row = *rows + at;
    const auto* gradients = reinterpret_cast<const float*>(row + block.to_gradient);
    look_along_row<Shape, kRow, Shape::kFirstOffset>(row, gradients, block.step, cells);
    look_along_rows<Shape, kRow + 1>(rows + 1, block, at, cells);
  }
}

template <class Shape>
HWY_INLINE FourCells sum_four(const Block& block, std::int64_t at, IndexVec position) {
  const IndexTag di;
  const auto offset = [&](int cell) HWY_ATTR {
    const auto rows =
        static_cast<std::int32_t>(cell / Shape::kStrideW) * static_cast<std::int32_t>(block.width);
    return hn::Add(position, hn::Set(di, rows + cell % Shape::kStrideW));
  };
  const auto zero = hn::Zero(FloatTag());
  FourCells cells{zero, zero, zero, zero, position, offset(1), offset(2), offset(3)};
  const std::int32_t* const* rows = block.rows;
  for (std::int64_t slice = 0; slice < block.slices; ++slice) {
    look_along_rows<Shape, Shape::kFirstRow>(rows, block, at, cells);
    rows += Shape::kRows;
  }
  return cells;
}

// Right to left, so that what a vector writes past the end of its row is overwritten by the next row's own.
template <class Shape>
HWY_NOINLINE void cover_width(const Block& block) {
  static_assert(Shape::kStrideW == 1 || Shape::kStrideW == 2);
  const FloatTag df;
  const IndexTag di;
  const auto group = static_cast<std::int64_t>(hn::Lanes(df));
  const std::int64_t last = (block.width - 1) / Shape::kStrideW / group * group;
  const auto lane = hn::Mul(hn::Iota(di, 0), hn::Set(di, Shape::kStrideW));
  for (std::int64_t at = last; at >= 0; at -= group) {
    const std::int64_t w = at * Shape::kStrideW;
    const auto position = hn::Add(lane, hn::Set(di, block.position + static_cast<std::int32_t>(w)));
    const FourCells cells = sum_four<Shape>(block, at, position);
    float* out = block.out + w;
    if constexpr (Shape::kStrideW == 1) {
      hn::StoreU(cells.sum0, df, out);
      hn::StoreU(cells.sum1, df, out + block.width);
      hn::StoreU(cells.sum2, df, out + 2 * block.width);
      hn::StoreU(cells.sum3, df, out + 3 * block.width);
    } else {
      hn::StoreInterleaved2(cells.sum0, cells.sum1, df, out);
      hn::StoreInterleaved2(cells.sum2, cells.sum3, df, out + block.width);
    }
  }
}

// The first `count` lanes.
HWY_INLINE void store_lanes(FloatVec v, float* to, std::int64_t count) {
  const FloatTag df;
  if (count >= static_cast<std::int64_t>(hn::Lanes(df))) return hn::StoreU(v, df, to);
  hn::BlendedStore(v, hn::FirstN(df, static_cast<std::size_t>(count)), df, to);
}

template <class Shape>
HWY_NOINLINE void cover_channels(const Block& block) {
  const auto group = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  for (std::int64_t w = 0; w < block.width; w += Shape::kStrideW) {
    const auto position = hn::Set(IndexTag(), block.position + static_cast<std::int32_t>(w));
    const std::int64_t window = w / Shape::kStrideW * block.step;
    float* out0 = block.out + w * block.channels;
    const std::int64_t row = block.width * block.channels;
    const bool both = w + 1 < block.width;
    for (std::int64_t c = 0; c < block.channels; c += group) {
      const FourCells cells = sum_four<Shape>(block, window + c, position);
      const std::int64_t count = block.channels - c;
      store_lanes(cells.sum0, out0 + c, count);
      if constexpr (Shape::kStrideW == 1) {
        store_lanes(cells.sum1, out0 + c + row, count);
        store_lanes(cells.sum2, out0 + c + 2 * row, count);
        store_lanes(cells.sum3, out0 + c + 3 * row, count);
      } else {
        store_lanes(cells.sum2, out0 + c + row, count);
        if (!both) continue;
        store_lanes(cells.sum1, out0 + c + block.channels, count);
        store_lanes(cells.sum3, out0 + c + row + block.channels, count);
      }
    }
  }
}

// Any shape: one row of cells, one phase of the stride at a time. `at` is where the cell's own window is
// staged.
HWY_INLINE FloatVec sum_one(const Block& block, std::int64_t at, Span offsets, IndexVec position) {
  auto sum = hn::Zero(FloatTag());
  const std::int32_t* const* rows_end = block.rows + block.slices * block.rows_per_slice;
  for (const std::int32_t* const* row = block.rows; row != rows_end; ++row) {
    for (std::int64_t offset = offsets.begin; offset < offsets.end; ++offset) {
      const std::int32_t* window = *row + at + offset * block.step;
      const auto index = hn::LoadU(IndexTag(), window);
      const auto gradient = hn::LoadU(FloatTag(), reinterpret_cast<const float*>(window + block.to_gradient));
      sum = add_where(hn::Eq(index, position), sum, gradient);
    }
  }
  return sum;
}

HWY_NOINLINE void cover_width_any(const Block& block) {
  const FloatTag df;
  const IndexTag di;
  const auto group = static_cast<std::int64_t>(hn::Lanes(df));
  const std::int64_t stride = block.stride_w;
  const auto lane = hn::Mul(hn::Iota(di, 0), hn::Set(di, static_cast<std::int32_t>(stride)));
  const auto sum_phase = [&](std::int64_t at, std::int64_t phase) HWY_ATTR {
    const auto first = block.position + static_cast<std::int32_t>(at * stride + phase);
    return sum_one(block, at, block.phases[phase], hn::Add(lane, hn::Set(di, first)));
  };
  for (std::int64_t at = 0; at * stride < block.width; at += group) {
    float* out = block.out + at * stride;
    if (stride == 1) {
      hn::StoreU(sum_phase(at, 0), df, out);
    } else if (stride == 2) {
      hn::StoreInterleaved2(sum_phase(at, 0), sum_phase(at, 1), df, out);
    } else {
      const std::int64_t left = block.width - at * stride;
      for (std::int64_t phase = 0; phase < std::min(stride, left); ++phase) {
        HWY_ALIGN float sums[hn::MaxLanes(df)];
        hn::Store(sum_phase(at, phase), df, sums);
        for (std::int64_t i = 0; i < group && i * stride + phase < left; ++i)
          out[i * stride + phase] = sums[i];
      }
    }
  }
}

HWY_NOINLINE void cover_channels_any(const Block& block) {
  const auto group = static_cast<std::int64_t>(hn::Lanes(FloatTag()));
  std::int64_t window = 0;
  for (std::int64_t first = 0; first < block.width; first += block.stride_w, window += block.step) {
    for (std::int64_t phase = 0; phase < std::min(block.stride_w, block.width - first); ++phase) {
      const auto position = hn::Set(IndexTag(), block.position + static_cast<std::int32_t>(first + phase));
      float* out = block.out + (first + phase) * block.channels;
      for (std::int64_t c = 0; c < block.channels; c += group) {
        store_lanes(sum_one(block, window + c, block.phases[phase], position), out + c, block.channels - c);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cairn::max_pool_backward
HWY_AFTER_NAMESPACE();

#endif
