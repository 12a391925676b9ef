// What every method shares: where a block's results go, and the walk over blocks.

#if defined(CAIRN_OPS_MAX_POOL_CPU_BLOCK_OUTPUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_CPU_BLOCK_OUTPUT_INL_H_
#undef CAIRN_OPS_MAX_POOL_CPU_BLOCK_OUTPUT_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_CPU_BLOCK_OUTPUT_INL_H_
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/cpu/block_scratch.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/plan.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

using namespace cairn::HWY_NAMESPACE;

// The results of a block, row after row, until they are written.
template <typename T, typename Index>
class BlockOutput {
 public:
  BlockOutput(const Plan& plan, bool streaming)
      : p_(plan), scratch_(*of_thread_), values_writer_(streaming), indices_writer_(streaming) {
    scratch_.make_room(static_cast<std::int64_t>(hn::Lanes(Floats())));
  }

  // As they are written.
  T* values() const { return scratch_.values<T>(); }
  Index* positions() const { return scratch_.positions<Index>(); }
  // As floats with short positions, of row h; take_leaders comes next.
  LeaderRow leaders(const Block& block, std::int64_t h) const {
    const std::int64_t at = (h - block.rows.begin) * block.row_length();
    return {scratch_.floats.data() + at, scratch_.ints.data() + at};
  }

  void take_leaders(const Block& block, bool nans) {
    if constexpr (sizeof(Index) == 8) std::copy_n(scratch_.ints.data(), block.count(), positions());
    if constexpr (sizeof(T) == 2) {
      narrow_leaders(scratch_.floats.data(), block.count(), values());
      if (nans) {
        restore(block,
                [&](std::int64_t i) { return std::isnan(scratch_.floats[static_cast<std::size_t>(i)]); });
      }
    }
  }

  void restore_zeros(const Block& block) {
    restore(block, [&](std::int64_t i) { return to_float(values()[i]) == 0; });
  }

  void write(const Block& block) {
    write(block, p_.values, values_writer_, values());
    write(block, p_.indices, indices_writer_, positions());
  }

 private:
  // Some values' own bits come from where they lie: those of windows i with `lost(i)`.
  template <typename Lost>
  void restore(const Block& block, const Lost& lost) {
    const T* plane = plane_of<const T>(p_.self, block);
    for (std::int64_t i = 0; i < block.count(); ++i) {
      if (!lost(i)) continue;
      const std::int64_t position = positions()[i];
      const std::int64_t row = position / p_.in.w;
      values()[i] = plane[row / p_.in.h * p_.self.d + row % p_.in.h * p_.self.h +
                          position % p_.in.w * p_.self.w + i % block.channels * p_.self.c];
    }
  }

  template <typename E>
  static void write(const Block& block, const View5& view, StreamWriter& writer, const E* from) {
    E* to = plane_of<E>(view, block) + block.d * view.d + block.rows.begin * view.h +
            block.windows.begin * view.w;
    const std::int64_t length = block.row_length();
    const bool dense_channels = block.channels == 1 || view.c == 1;
    if (dense_channels && (view.w == block.channels || block.windows.size() == 1)) {
      if (view.h == length || block.rows.size() == 1) return writer.write(to, from, block.count());
      for (std::int64_t h = 0; h < block.rows.size(); ++h) {
        writer.write(to + h * view.h, from + h * length, length);
      }
      return;
    }
    for (std::int64_t h = 0; h < block.rows.size(); ++h) {
      for (std::int64_t w = 0; w < block.windows.size(); ++w) {
        for (std::int64_t c = 0; c < block.channels; ++c) to[h * view.h + w * view.w + c * view.c] = *from++;
      }
    }
  }

  const Plan& p_;
  const OfThread<BlockScratch> of_thread_;
  BlockScratch& scratch_;
  StreamWriter values_writer_;
  StreamWriter indices_writer_;
};

// Whether a call's results are better written past the cache. A line written through it is read first, so it
// counts twice.
template <typename T, typename Index>
bool streams(const Plan& plan) {
  const auto written = static_cast<std::int64_t>(2 * (sizeof(T) + sizeof(Index)));
  return streams_past_cache(
      plan.n * plan.c *
      (plan.in.count() * static_cast<std::int64_t>(sizeof(T)) + plan.out.count() * written));
}

// Computes a plan by a method: Method<T, Index>(plan, axes, blocks).fill(block, output), one block after the
// other.
template <template <typename, typename> class Method, typename T, typename Index>
void run_blocks(const Plan& plan, const BlockLimits& limits, Workers& workers) {
  const WindowAxes axes(plan);
  const std::int64_t elements = plan.n * plan.c * (plan.in.count() + plan.out.count());
  const Blocks blocks(plan, limits, most_worth(workers, elements));
  const bool streaming = streams<T, Index>(plan);
  for_each_range(workers, {.count = blocks.count(), .elements = blocks.elements()},
                 [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                   Method<T, Index> method(plan, axes, blocks);
                   BlockOutput<T, Index> output(plan, streaming);
                   for (std::int64_t i = begin; i < end; ++i) {
                     const Block block = blocks[i];
                     method.fill(block, output);
                     output.write(block);
                   }
                 });
}
template <template <typename, typename> class Method>
void run_blocks(const Plan& plan, const BlockLimits& limits, Workers& workers) {
  with_float_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() HWY_ATTR {
    run_blocks<Method, T, Index>(plan, limits, workers);
  });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
