#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"
#include "ops/mean_pool_backward/cuda/tiles.cuh"
#include "ops/mean_pool_backward/plan.h"

namespace cairn::cuda {

using mean_pool_backward::Plan;

// How large tiles are: enough packs for the threads to be used more than once, and shared memory for several
// blocks at a time.
inline constexpr std::int64_t kTilePacks = 4096;
inline constexpr std::int64_t kTileBytes = 40 << 10;
inline constexpr std::int64_t kTilePackColumns = 64;

struct MeanTileSize {
  std::int64_t slices, d, h, w;
};

// Cells are the results of an axis, windows their sources.
struct MeanTileAxis {
  const MeanAxis& axis;

  std::int64_t results() const { return axis.in; }
  std::int64_t sources() const { return axis.out; }
  std::int64_t most() const { return axis.most_windows(); }
  // The most sources of so many results.
  std::int64_t reach(std::int64_t tile) const {
    std::int64_t count = 0;
    if (axis.is_adaptive()) {
      count = divide_up(tile * sources(), results()) + 1;
    } else {
      count = (tile + axis.kernel - 2) / axis.stride + 1;
    }
    return std::min(count, sources());
  }
};

struct MeanTileAxes {
  MeanTileAxis d, h, w;
  std::int64_t slices;
  std::int64_t pack;         // of results
  std::int64_t source_pack;  // 1 where sources are not read in packs
  std::int64_t sum_bytes;

  MeanTileAxes(const Plan& plan, std::int64_t pack, std::int64_t source_pack)
      : d{plan.d},
        h{plan.h},
        w{plan.w},
        slices(plan.n * plan.c),
        pack(pack),
        source_pack(source_pack),
        sum_bytes(plan.type == DataType::kDouble ? 8 : 4) {}

  std::int64_t source_packs(const MeanTileSize& tile) const {
    const std::int64_t reach = w.reach(tile.w) + source_pack - 1;  // packs begin before the first
    return std::min(divide_up(reach, source_pack), divide_up(w.sources(), source_pack));
  }
  std::int64_t pitch(const MeanTileSize& tile) const {
    return staged_column(static_cast<int>(source_packs(tile) * source_pack)) + 1;
  }
  std::int64_t bytes(const MeanTileSize& tile) const {
    return tile.slices * d.reach(tile.d) * h.reach(tile.h) * pitch(tile) * sum_bytes;
  }
  bool fits(const MeanTileSize& tile) const {
    return bytes(tile) <= kTileBytes && tile.slices * tile.d * tile.h * (tile.w / pack) <= kTilePacks;
  }

  // Rows first, then a few slices along D: neighbours share sources there. Whole planes only where they are
  // small.
  MeanTileSize tile() const {
    constexpr std::int64_t kMost = MeanTiles<float>::kMostLines;
    const std::int64_t columns = divide_up(w.results(), kTilePackColumns * pack);
    MeanTileSize tile{1, 1, 1, divide_up(divide_up(w.results(), columns), pack) * pack};
    while (tile.w > pack && !fits(tile)) tile.w = divide_up(tile.w / 2, pack) * pack;
    const auto grow = [&](std::int64_t MeanTileSize::*side, std::int64_t most) {
      while (tile.*side < most) {
        MeanTileSize larger = tile;
        larger.*side = std::min(2 * tile.*side, most);
        if (!fits(larger)) return;
        tile = larger;
      }
    };
    grow(&MeanTileSize::h, std::min<std::int64_t>(h.results(), 8));
    grow(&MeanTileSize::d, std::min<std::int64_t>(d.results(), 4));
    grow(&MeanTileSize::h, std::min(h.results(), kMost));
    grow(&MeanTileSize::d, std::min(d.results(), kMost));
    if (tile.h == h.results() && tile.d == d.results() && tile.w >= w.results())
      grow(&MeanTileSize::slices, slices);
    return tile;
  }
};

template <typename Sum>
MeanTiles<Sum> mean_tiles(const Plan& plan, const MeanTileAxes& axes, const MeanTileSize& size,
                          const View5& from, const View5& to) {
  MeanTiles<Sum> tiles;
  static_cast<NarrowMeans<Sum>&>(tiles) = narrow_means<Sum>(plan, from, to, plan.c, {1, 1, 1});
  const auto along = [](const MeanTileAxis& axis, std::int64_t tile) {
    using Divider = Divider<std::uint32_t>;
    return typename MeanTiles<Sum>::Axis{.results = static_cast<int>(axis.results()),
                                         .sources = static_cast<int>(axis.sources()),
                                         .tile = static_cast<int>(tile),
                                         .reach = static_cast<int>(axis.reach(tile)),
                                         .by_tiles = Divider(divide_up(axis.results(), tile)),
                                         .by_tile = Divider(tile),
                                         .by_reach = Divider(axis.reach(tile))};
  };
  tiles.along_d = along(axes.d, size.d);
  tiles.along_h = along(axes.h, size.h);
  tiles.along_w = along(axes.w, size.w);
  tiles.all_slices = static_cast<int>(axes.slices);
  tiles.slices = static_cast<int>(size.slices);
  tiles.pitch = static_cast<int>(axes.pitch(size));
  tiles.packs = static_cast<int>(size.w / axes.pack);
  tiles.lanes = MeanTiles<Sum>::kThreads / tiles.packs;
  tiles.by_packs = Divider<std::uint32_t>(tiles.packs);
  tiles.source_packs = static_cast<int>(axes.source_packs(size));
  tiles.by_source_packs = Divider<std::uint32_t>(tiles.source_packs);
  tiles.in_packs = axes.source_pack > 1;
  return tiles;
}

// What speaks against tiles, besides places that need 64 bits.
inline const char* why_not_tiled(const Plan& plan) {
  const MeanTileAxes axes(plan, 1, 1);
  if (axes.d.most() * axes.h.most() * axes.w.most() > long_sum::kLanes)
    return "cells may have more than 64 windows";
  if (axes.d.sources() * axes.h.sources() * axes.w.sources() == 0) return "there is nothing to sum";
  return axes.fits({1, 1, 1, 1}) ? nullptr : "the sources of a result do not fit shared memory";
}

template <typename T>
struct MeanTilesStart {
  const Plan& plan;
  const View5& from;
  const View5& to;
  cudaStream_t stream;

  static constexpr int kFull = 16 / sizeof(T);

  bool packs(const View5& view, std::int64_t width, std::int64_t count) const {
    return view.w == 1 && width % count == 0 &&
           cuda::in_packs(view.data, sizeof(T), count, {view.n, view.c, view.d, view.h});
  }

  template <typename Columns>
  cudaError_t with() const {
    const bool in_packs = packs(from, MeanTileAxis{plan.w}.sources(), kFull);
    const MeanTileAxes axes(plan, Columns::kCount, in_packs ? kFull : 1);
    const MeanTileSize size = axes.tile();
    const auto tiles = mean_tiles<Sum<T>>(plan, axes, size, from, to);
    const std::int64_t blocks = divide_up(axes.d.results(), size.d) * divide_up(axes.h.results(), size.h) *
                                divide_up(axes.w.results(), size.w) * divide_up(axes.slices, size.slices);
    return start_kernel(sum_tiles<T, Columns>, tiles, blocks, MeanTiles<Sum<T>>::kThreads,
                        static_cast<std::size_t>(axes.bytes(size)), stream);
  }

  cudaError_t start() const {
    const MeanTileAxis w{plan.w};
    if (w.most() > FewColumns<1>::kMost) return with<ManyColumns>();
    if (packs(to, w.results(), kFull)) return with<FewColumns<kFull>>();
    if constexpr (kFull > 2)
      if (packs(to, w.results(), 2)) return with<FewColumns<2>>();
    return with<FewColumns<1>>();
  }
};

}  // namespace cairn::cuda
