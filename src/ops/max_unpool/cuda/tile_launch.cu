#include <algorithm>

#include "ops/max_unpool/cuda/tile_kernel.cuh"
#include "ops/max_unpool/cuda/tile_launch.h"

namespace cairn::max_unpool {

template <typename Coord>
cudaError_t start_tiles(const Plan& plan, const TilePlan<Coord>& tiles, std::int64_t most_blocks,
                        const cuda::CudaLaunch& launch) {
  const bool packs = is_dense(plan) && tiles.w.pooled % kWindows == 0 && tiles.w.windows % kWindows == 0;
  return cuda::by_element_size(plan.type, [&]<typename T>(cuda::Tag<T>) {
    return cuda::by_index_type(plan.index_type, [&]<typename Index>(cuda::Tag<Index>) {
      auto* kernel = unpool_tiles<T, Index, false, Coord>;
      if constexpr (sizeof(Coord) == 4) {
        if (packs) kernel = unpool_tiles<T, Index, true, Coord>;
      }
      return cuda::start_kernel(kernel, tiles, std::min(tiles.items, most_blocks), kThreads,
                                static_cast<std::size_t>(tiles.slots) * sizeof(Slot<T>), launch.stream);
    });
  });
}

template cudaError_t start_tiles(const Plan&, const TilePlan<int>&, std::int64_t, const cuda::CudaLaunch&);
template cudaError_t start_tiles(const Plan&, const TilePlan<std::int64_t>&, std::int64_t,
                                 const cuda::CudaLaunch&);

}  // namespace cairn::max_unpool
