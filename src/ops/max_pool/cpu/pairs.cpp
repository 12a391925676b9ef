// Windows of two along W that do not overlap: all taps at once, straight from memory. Of the time that bands
// need it takes 60 % (p2-vgg FLOAT and BF16, p3-unet BF16) to 70 % (p2-vgg FLOAT16).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_pool/cpu/blocks.h"
#include "ops/max_pool/cpu/prefetch.h"
#include "ops/max_pool/cpu/taps.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/pairs.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/max_pool/cpu/block_output-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

// Splits 2 * Lanes(d) neighbours into those at even and those at odd places.
template <typename T>
HWY_INLINE void load_pairs(Floats d, const T* from, hn::Vec<Floats>& even, hn::Vec<Floats>& odd) {
  const auto low = load_float(d, from);
  const auto high = load_float(d, from + hn::Lanes(d));
  even = even_lanes(d, high, low);
  odd = odd_lanes(d, high, low);
}
#if HWY_TARGET != HWY_SCALAR
HWY_INLINE void load_pairs(Floats d, const Bfloat16* from, hn::Vec<Floats>& even, hn::Vec<Floats>& odd) {
  const hn::RebindToUnsigned<Floats> du;
  const hn::Repartition<std::uint8_t, Floats> bytes;
  const auto pairs = hn::BitCast(du, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
  even = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
  odd = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000u)));
}
#endif

// Window o has taps 2 o and 2 o + 1 of every row. There are Lanes windows at least; the last vector may look
// at windows of the one before again. True if there may be a NaN.
template <bool kNans, typename T>
HWY_INLINE bool pool_pairs(const std::vector<Source<T>>& sources, std::int64_t windows,
                           std::int64_t prefetch_distance, const LeaderRow& best) {
  const Floats d;
  const Ints di;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const Source<T>* rows = sources.data();
  const auto row_count = static_cast<std::int64_t>(sources.size());
  const auto steps = hn::Add(hn::Iota(di, 0), hn::Iota(di, 0));
  auto watcher = hn::Zero(d);
  // Two rows that lie one behind the other are prefetched as they lie, not in turn: the processor reads on by
  // itself then, twice as fast.
  const bool together = row_count % 2 == 0 && rows[0].from + 2 * windows == rows[1].from;
  for (std::int64_t i = 0; i < windows; i += lanes) {
    const std::int64_t o = std::min(i, windows - lanes);
    hn::Vec<Floats> even, odd;
    const auto load = [&](std::int64_t r) HWY_ATTR {
      const T* from = rows[r].from + 2 * o;
      const T* next = prefetch_distance +
                      (together ? rows[r & ~std::int64_t{1}].from + 4 * o + (r & 1) * 2 * lanes : from);
      hwy::Prefetch(next);
      if constexpr (sizeof(T) == 4) hwy::Prefetch(next + lanes);
      load_pairs(d, from, even, odd);
      watch<Floats>(watcher, even);
      watch<Floats>(watcher, odd);
      return hn::Add(steps, hn::Set(di, rows[r].position + 2 * static_cast<std::int32_t>(o)));
    };
    const auto first = load(0);
    Leader<Floats> leader{even, first};
    leader.template meet<kNans>(odd, hn::Add(first, hn::Set(di, 1)));
    for (std::int64_t r = 1; r < row_count; ++r) {
      const auto place = load(r);
      leader.template meet<kNans>(even, place);
      leader.template meet<kNans>(odd, hn::Add(place, hn::Set(di, 1)));
    }
    hn::StoreU(leader.value, d, best.values + o);
    hn::StoreU(leader.position, di, best.positions + o);
  }
  return is_alarmed(d, watcher);
}

template <typename T, typename Index>
class Pairs {
 public:
  Pairs(const Plan& plan, const WindowAxes& axes, const Blocks& /*blocks*/)
      : p_(plan), finder_(plan, axes), prefetch_distance_(prefetch_distance(plan, sizeof(T))) {}

  void fill(const Block& block, BlockOutput<T, Index>& output) {
    const T* plane = plane_of<const T>(p_.self, block);
    bool nans = false;
    for (std::int64_t h = block.rows.begin; h < block.rows.end; ++h) {
      const std::vector<Source<T>>& rows = finder_.find_rows(plane, block.d, h, 2 * block.windows.begin);
      nans = fill_row(rows, block.windows.size(), output.leaders(block, h)) || nans;
    }
    output.take_leaders(block, nans);
  }

 private:
  bool fill_row(const std::vector<Source<T>>& rows, std::int64_t windows, const LeaderRow& best) const {
    if (rows.empty()) return fill_without_taps(best, windows), false;
    if (!pool_pairs<false>(rows, windows, prefetch_distance_, best)) return false;
    return pool_pairs<true>(rows, windows, prefetch_distance_, best);
  }

  const Plan& p_;
  TapFinder<T> finder_;
  const std::int64_t prefetch_distance_;
};

// Windows share no rows, so that small blocks lose nothing.
void run_pairs(const Plan& plan, Workers& workers) { run_blocks<Pairs>(plan, {.elements = 512}, workers); }

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::pairs {

const char* why_not(const Plan& plan) {
  if (const char* reason = why_no_blocks(plan)) return reason;
  if (plan.self.w != 1) return "W is not dense";
  if (plan.kernel.w != 2 || plan.dilation.w != 1) return "windows are not pairs along W";
  if (plan.stride.w != 2) return "windows overlap along W, or lie apart";
  if (plan.padding.w != 0 || 2 * plan.out.w > plan.in.w) return "W is padded";
  if (plan.out.w < float_lanes()) return "rows are shorter than a vector";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_pairs)

}  // namespace cairn::max_pool::pairs
#endif
