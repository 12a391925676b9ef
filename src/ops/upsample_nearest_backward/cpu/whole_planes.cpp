#include <hwy/base.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/scale_axis.h"
#include "ops/kit/span.h"
#include "ops/upsample_nearest_backward/plan.h"

// Two cores, ms with it and without: n3-5x5x5 backward 1.3 and 8.1.
namespace cairn::upsample_nearest_backward::whole_planes {
namespace {

constexpr std::int64_t kMostCells = 512;
constexpr std::int64_t kMostPositions = 1024;

// The positions of each cell of a plane, in the order in which they are added.
class Table {
 public:
  explicit Table(const Plan& plan) : cells_(plan.in.count()) {
    const ScaleAxis d_axis{plan.in.d, plan.out.d, plan.scale_d, plan.shift};
    const ScaleAxis h_axis{plan.in.h, plan.out.h, plan.scale_h, plan.shift};
    const ScaleAxis w_axis{plan.in.w, plan.out.w, plan.scale_w, plan.shift};
    std::int32_t cell = 0;
    std::int32_t count = 0;
    for (std::int64_t d = 0; d < plan.in.d; ++d) {
      for (std::int64_t h = 0; h < plan.in.h; ++h) {
        for (std::int64_t w = 0; w < plan.in.w; ++w) {
          const Span boxes[3] = {d_axis.box(d), h_axis.box(h), w_axis.box(w)};
          for (std::int64_t z = boxes[0].begin; z < boxes[0].end; ++z) {
            for (std::int64_t y = boxes[1].begin; y < boxes[1].end; ++y) {
              for (std::int64_t x = boxes[2].begin; x < boxes[2].end; ++x)
                positions_[static_cast<std::size_t>(count++)] =
                    static_cast<std::int32_t>((z * plan.out.h + y) * plan.out.w + x);
            }
          }
          if (count > (sums_ == 0 ? 0 : ends_[sums_ - 1])) places_[sums_] = cell, ends_[sums_++] = count;
          ++cell;
        }
      }
    }
    while (alike_ < sums_ && ends_[alike_] == static_cast<std::int32_t>(alike_ + 1) * ends_[0]) ++alike_;
  }

  template <typename T>
  void sum(const T* HWY_RESTRICT from, T* HWY_RESTRICT to) const {
    // Of cells without positions there may be many.
    if (static_cast<std::int64_t>(sums_) < cells_) std::fill_n(to, cells_, T{});
    // An addition waits for the one before it, so that several cells side by side take as long as one.
    constexpr std::size_t kTogether = 4;
    std::size_t k = 0;
    for (; k + kTogether <= alike_; k += kTogether) sum_alike<kTogether>(from, to, k);
    std::int32_t i = k == 0 ? 0 : ends_[k - 1];
    for (; k < sums_; ++k) {
      SumOf<T> sum = 0;
      for (const std::int32_t end = ends_[k]; i < end; ++i)
        sum += widened(from[positions_[static_cast<std::size_t>(i)]]);
      to[places_[k]] = rounded<T>(sum);
    }
  }

 private:
  // Cells that have as many positions each.
  template <std::size_t kCells, typename T>
  void sum_alike(const T* HWY_RESTRICT from, T* HWY_RESTRICT to, std::size_t first) const {
    const auto count = static_cast<std::size_t>(ends_[0]);
    const std::int32_t* HWY_RESTRICT positions = &positions_[first * count];
    SumOf<T> sums[kCells] = {};
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < kCells; ++k) sums[k] += widened(from[positions[k * count + i]]);
    }
    for (std::size_t k = 0; k < kCells; ++k) to[places_[first + k]] = rounded<T>(sums[k]);
  }

  std::int64_t cells_;
  std::size_t sums_ = 0;   // cells that have positions: where they are, and the end of theirs
  std::size_t alike_ = 0;  // the first of them, which have as many each
  std::array<std::int32_t, kMostCells> places_;
  std::array<std::int32_t, kMostCells> ends_;
  std::array<std::int32_t, kMostPositions> positions_;  // none belongs to two cells
};

template <typename T>
void sum_planes(const Plan& plan, Workers& workers) {
  const std::int64_t cells = plan.in.count();
  const std::int64_t positions = plan.out.count();
  const std::int64_t planes = plan.n * plan.c;
  const auto size = static_cast<std::int64_t>(sizeof(T));
  const bool streaming = streams_past_cache(planes * (cells + positions) * size);
  const auto* grad_out = static_cast<const T*>(plan.grad_out.data);
  auto* grad_input = static_cast<T*>(plan.grad_input.data);
  const Table table(plan);
  for_each_range(workers, {.count = planes, .elements = cells + positions},
                 [&](std::int64_t begin, std::int64_t end) {
                   StreamWriter writer(streaming);
                   for (std::int64_t plane = begin; plane < end; ++plane)
                     table.sum(grad_out + plane * positions, writer.room(grad_input + plane * cells, cells));
                 });
}

}  // namespace

const char* why_not(const Plan& plan) {
  constexpr std::int64_t kShort = 16;
  constexpr std::int64_t kFew = 8;
  if (!is_dense(plan.grad_out, plan.n, plan.c, plan.out)) return "gradOut has gaps";
  if (!is_dense(plan.grad_input, plan.n, plan.c, plan.in)) return "gradInput has gaps";
  if (plan.n * plan.c < kFew) return "there are few planes";
  if (plan.out.w > kShort) return "lines of gradOut are long";
  if (plan.in.count() > kMostCells) return "planes of gradInput have more than 512 cells";
  if (plan.out.count() > kMostPositions) return "planes of gradOut have more than 1024 positions";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.in.count() == 0) return std::nullopt;
  with_real_type(plan.type, [&]<typename T>() { sum_planes<T>(plan, workers); });
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest_backward::whole_planes
