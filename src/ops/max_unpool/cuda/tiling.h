#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_unpool/cuda/methods.h"
#include "ops/max_unpool/cuda/tile_plan.h"
#include "ops/max_unpool/plan.h"

// What candidates ask of a plan.
namespace cairn::max_unpool {

inline constexpr std::int64_t kTileSlots = 8192;
inline constexpr std::int64_t kTileBytes = 32 << 10;  // leaves room for six blocks on a multiprocessor
inline constexpr std::int64_t kMostBytes = 48 << 10;

// Of a cell in shared memory, as Slot has it.
inline std::int64_t slot_bytes(const Plan& plan) { return std::max(size_of(plan.type), 2); }
inline std::int64_t slots_of_tile(const Plan& plan) {
  return std::min(kTileSlots, kTileBytes / slot_bytes(plan));
}
inline std::int64_t most_slots(const Plan& plan) { return kMostBytes / slot_bytes(plan); }
// Slots that are written to out at once.
inline std::int64_t slots_of_pack(const Plan& plan) { return 16 / slot_bytes(plan); }

// An out with gaps takes wide coordinates: the kernels of narrow ones, which real networks have, need no
// registers for it.
inline bool is_narrow(const Plan& plan) {
  return cuda::are_narrow({plan.pooled.count(), plan.unpooled.count()}) && !has_gaps(plan);
}

// True when looking at every window for each run costs little beside writing the runs.
inline bool has_few_windows(const Plan& plan) {
  const std::int64_t runs = cuda::divide_up(plan.unpooled.count(), most_slots(plan));
  return runs * plan.pooled.count() <= plan.unpooled.count() / 8;
}

// Self and indices follow each other as the program sees them, in packs of a thread's windows.
inline bool is_dense(const Plan& plan) {
  const auto is = [&plan](const View5& view, DataType type) {
    return cuda::is_dense(view, plan.n, plan.c, plan.pooled) &&
           cuda::in_packs(view.data, size_of(type), kWindows, {});
  };
  return is(plan.self, plan.type) && is(plan.indices, plan.index_type);
}

// The boxes along one axis, before any has more than one window along it. The ratio of the sizes tells how
// many cells a window has, if windows do not overlap.
struct AxisSize {
  std::int64_t pooled;
  std::int64_t unpooled;
  std::int64_t windows = 1;

  std::int64_t cells_per_window() const {
    return std::max<std::int64_t>((2 * unpooled + pooled) / (2 * pooled), 1);
  }
  std::int64_t cells() const { return std::min(windows * cells_per_window(), unpooled); }
  std::int64_t tiles() const {
    return std::max(cuda::divide_up(unpooled, cells()), cuda::divide_up(pooled, windows));
  }
  // As many windows as the room allows, in packs where there is a choice.
  void grow(std::int64_t room) {
    windows = std::clamp<std::int64_t>(room / cells_per_window(), 1, pooled);
    if (windows < pooled && windows > kWindows) windows -= windows % kWindows;
    if (windows * cells_per_window() < unpooled && windows == pooled && room >= unpooled)
      windows = cuda::divide_up(unpooled, cells_per_window());
  }
};

}  // namespace cairn::max_unpool
