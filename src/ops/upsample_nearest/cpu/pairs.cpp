#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/pairs.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Lines of cells repeated: the last repetition is written whole, also where the line ends before it does.
template <typename T>
struct MakePairs {
  static std::int64_t lanes() { return 0; }

  static HWY_ATTR void line(const ScaledPlanes& /*planes*/, const SourceTable& table,
                            const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
    const std::int64_t count = table.count();
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t whole = (count + 1) / 2 * 2;
    // The last vector ends with the line, and writes again what the one before wrote.
    for (; i < count && whole >= 2 * lanes; i += 2 * lanes) {
      i = std::min(i, whole - 2 * lanes);
      const auto v = hn::LoadU(d, from + i / 2);
      hn::StoreInterleaved2(v, v, d, to + i);
    }
#endif
    for (; i < count; i += 2) to[i] = to[i + 1] = from[i / 2];
  }
};

template <typename T>
struct MakeFours {
  static std::int64_t lanes() { return 0; }

  static HWY_ATTR void line(const ScaledPlanes& /*planes*/, const SourceTable& table,
                            const T* HWY_RESTRICT from, T* HWY_RESTRICT to) {
    const std::int64_t count = table.count();
    std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t whole = (count + 3) / 4 * 4;
    // The last vector ends with the line, and writes again what the one before wrote.
    for (; i < count && whole >= 4 * lanes; i += 4 * lanes) {
      i = std::min(i, whole - 4 * lanes);
      const auto v = hn::LoadU(d, from + i / 4);
      hn::StoreInterleaved4(v, v, v, v, d, to + i);
    }
#endif
    for (; i < count; i += 4) std::fill_n(to + i, 4, from[i / 4]);
  }
};

template <typename T>
using Pairs = MadeLines<T, MakePairs<T>>;
template <typename T>
using Fours = MadeLines<T, MakeFours<T>>;

}  // namespace

void copy_pairs(const Plan& plan, Workers& workers) { write_lines<Pairs>(plan, workers); }
void copy_fours(const Plan& plan, Workers& workers) { write_lines<Fours>(plan, workers); }

}  // namespace cairn::upsample_nearest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest {
namespace pairs {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values);
  if (!planes.w.repeats_cells(2)) return "W is not doubled";
  if (planes.read.w != 1) return "self is strided along W";
  return nullptr;
}

CAIRN_RUN_KERNEL(copy_pairs)

}  // namespace pairs
namespace fours {

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values);
  if (!planes.w.repeats_cells(4)) return "W does not become four times as long";
  if (planes.read.w != 1) return "self is strided along W";
  return nullptr;
}

CAIRN_RUN_KERNEL(copy_fours)

}  // namespace fours
}  // namespace cairn::upsample_nearest
#endif
