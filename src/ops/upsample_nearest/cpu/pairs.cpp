#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/pairs.cpp"
#include "hwy/cache_control.h"
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

#if HWY_TARGET == HWY_SCALAR
template <typename T>
inline constexpr bool kRepeatsLanes = false;
#else
// Whether lanes can be shuffled over a whole vector.
template <typename T>
inline constexpr bool kRepeatsLanes = sizeof(T) == 4 || (sizeof(T) == 2 && HWY_TARGET <= HWY_AVX3);

// A quarter of a vector's lanes, four times each: `places` says which.
template <class D>
HWY_INLINE hn::Vec<D> repeat_lanes(D d, hn::Vec<D> cells, hn::Vec<D> places) {
  if constexpr (sizeof(hn::TFromD<D>) == 4) {
    return hn::TableLookupLanes(cells, hn::IndicesFromVec(d, places));
  } else {
#if HWY_TARGET <= HWY_AVX3
    return hn::Vec<D>{_mm512_permutexvar_epi16(places.raw, cells.raw)};
#else
    return cells;  // never asked for
#endif
  }
}
#endif

template <typename T>
using Pairs = MadeLines<T, MakePairs<T>>;

// Whole cache lines go from registers past the cache.
template <typename T>
struct Fours : MadeLines<T, MakeFours<T>> {
  static HWY_ATTR void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    if constexpr (kRepeatsLanes<T>) {
      const hn::ScalableTag<T> d;
      const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
      const std::int64_t count = task.table.count();
      if (s.dense && task.writer.takes_lines(to, count) && count % (4 * lanes) == 0)
        return stream(from, count, to);
    }
    MadeLines<T, MakeFours<T>>::write(s, task, from, to);
  }

 private:
  static HWY_ATTR void stream(const T* HWY_RESTRICT from, std::int64_t count, T* HWY_RESTRICT to) {
    constexpr std::int64_t kAhead = 1024 / sizeof(T);
    const hn::ScalableTag<T> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto first = hn::ShiftRight<2>(hn::Iota(d, 0));
    const auto quarter = hn::Set(d, static_cast<T>(lanes / 4));
    for (std::int64_t i = 0; i < count / 4; i += lanes) {
      hwy::Prefetch(from + kAhead + i);
      const auto cells = hn::LoadU(d, from + i);
      auto places = first;
      for (std::int64_t k = 0; k < 4; ++k) {
        hn::Stream(repeat_lanes(d, cells, places), d, to + 4 * i + k * lanes);
        places = hn::Add(places, quarter);
      }
    }
  }
};

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
