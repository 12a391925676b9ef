#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "ops/max_pool/cpu_geometry.h"

namespace cairn::max_pool {

// How a call is cut into blocks of windows: some channels that lie side by side (or one), a stretch of W, a
// few rows of H, one slice of D. Blocks of neighbouring slices follow each other, so that input slices that
// windows share are still there.
struct Blocks {
  std::int64_t channels = 1;
  std::int64_t groups = 0;   // of channels, over all of N and C
  std::int64_t windows = 1;  // along W
  std::int64_t stretches = 0;
  std::int64_t rows = 1;  // along H
  std::int64_t batches = 0;
  std::int64_t slots = 1;      // input slices kept
  std::int64_t slot_rows = 1;  // input rows of each
  std::int64_t pitch = 0;      // room for a row of windows
  bool possible = false;       // else windows reach too far

  static constexpr std::int64_t kMostRow = 1024;     // windows in a row, times channels
  static constexpr std::int64_t kMostBlock = 2048;   // in a block, unless a row has more
  static constexpr std::int64_t kMostInput = 32768;  // elements of an input row

  Blocks(const Plan& plan, const Axes& axes, std::int64_t workers, std::int64_t lanes) {
    constexpr std::int64_t kMostChannels = 512;
    const std::int64_t extent = axes.w.extent();
    if (plan.c > 1 && plan.self.c == 1 && plan.self.w != 1) {
      channels = std::min({plan.c, kMostChannels, std::max<std::int64_t>(kMostInput / extent, 1)});
    }
    groups = plan.n * ((plan.c + channels - 1) / channels);
    if (extent * channels > kMostInput || plan.in.count() > std::numeric_limits<std::int32_t>::max()) return;
    windows = std::min({plan.out.w, std::max<std::int64_t>(kMostRow / channels, 1),
                        (kMostInput / channels - extent) / plan.stride.w + 1});
    stretches = (plan.out.w + windows - 1) / windows;
    windows = (plan.out.w + stretches - 1) / stretches;
    pitch = (windows * channels + lanes - 1) / lanes * lanes;
    choose_rows(plan, axes, workers);
  }

  std::int64_t count(const Plan& plan) const { return groups * stretches * batches * plan.out.d; }

 private:
  void choose_rows(const Plan& plan, const Axes& axes, std::int64_t workers) {
    constexpr std::int64_t kNear = 40 << 10;
    constexpr std::int64_t kFar = 256 << 10;
    constexpr std::int64_t kTooFar = 8 << 20;
    constexpr std::int64_t kBlocksPerWorker = 4;
    constexpr std::int64_t kWorthSharing = 4;
    slots = axes.d.extent();
    const std::int64_t extent = axes.h.extent();
    const std::int64_t row_bytes = pitch * 8;
    if (slots > kTooFar / row_bytes || std::min(extent, plan.in.h) > kTooFar / row_bytes / slots) return;
    possible = true;
    const auto fitting = [&](std::int64_t bytes) {
      return std::max<std::int64_t>((bytes / (row_bytes * slots) - extent) / plan.stride.h + 1, 1);
    };
    rows = fitting(kNear);
    // Rows that two batches need are reduced twice: a batch has several times as many.
    const std::int64_t shared = kWorthSharing * (extent - plan.stride.h) / plan.stride.h + 1;
    if (rows < shared) rows = std::min(shared, fitting(kFar));
    const std::int64_t most = groups * stretches * plan.out.h * plan.out.d / (workers * kBlocksPerWorker) + 1;
    rows = std::min({rows, most, std::max<std::int64_t>(kMostBlock / (windows * channels), 1), plan.out.h});
    batches = (plan.out.h + rows - 1) / rows;
    rows = (plan.out.h + batches - 1) / batches;
    slot_rows = std::min((rows - 1) * plan.stride.h + extent, plan.in.h);
  }
};

}  // namespace cairn::max_pool
