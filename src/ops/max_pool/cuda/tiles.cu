#include <algorithm>
#include <span>

#include "ops/max_pool/cuda/plan.h"
#include "ops/max_pool/cuda/tiles.cuh"

namespace cairn::max_pool {
namespace {

using Single = TileAxis<1, 1, 0, 1>;
template <int Windows>
using Halved = TileAxis<2, 2, 0, Windows>;  // kernel 2, stride 2
template <int Windows>
using Overlapping = TileAxis<3, 2, 1, Windows>;  // kernel 3, stride 2, padding 1
template <int Kernel, int Windows>
using Same = TileAxis<Kernel, 1, Kernel / 2, Windows>;  // stride 1, as many windows as cells

template <typename Axis>
bool axis_fits(std::int64_t kernel, std::int64_t stride, std::int64_t padding, std::int64_t out) {
  const bool single = Axis::kKernel == 1 && out == 1;  // one window: its stride never counts
  return kernel == Axis::kKernel && (stride == Axis::kStride || single) && padding == Axis::kPadding;
}

template <typename D, typename H, typename W>
bool shape_fits(const Plan& plan, bool halves) {
  return axis_fits<D>(plan.kernel.d, plan.stride.d, plan.padding.d, plan.out.d) &&
         axis_fits<H>(plan.kernel.h, plan.stride.h, plan.padding.h, plan.out.h) &&
         axis_fits<W>(plan.kernel.w, plan.stride.w, plan.padding.w, plan.out.w) &&
         (!halves || offsets_fit_half(plan, H::kCells));
}

cudaError_t start(void (*kernel)(PoolPlan<int>), const PoolPlan<int>& plan, const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, cuda::divide_up(plan.items, kTileThreads), kTileThreads, 0,
                            launch.stream);
}

// Windows along D that a thread takes: more read less twice, as long as there are enough threads.
template <typename D, typename H, typename W>
Size3 tile_of(const Plan& plan, std::int64_t slices, const cuda::CudaLaunch& launch) {
  Size3 tile{1, H::kWindows, W::kWindows};
  if (D::kKernel <= D::kStride) return tile;
  const std::int64_t columns =
      plan.n * slices * cuda::divide_up(plan.out.h, tile.h) * cuda::divide_up(plan.out.w, tile.w);
  const std::int64_t enough = std::int64_t{launch.multiprocessors} * 1024;
  tile.d = std::clamp<std::int64_t>(columns * plan.out.d / enough, 1, std::min<std::int64_t>(plan.out.d, 8));
  return tile;
}

template <int Blocks, typename Format, typename D, typename H, typename W>
std::optional<cudaError_t> launch_rows(const Plan& plan, const cuda::CudaLaunch& launch) {
  using Bits = typename Format::Bits;
  if (!shape_fits<D, H, W>(plan, Format::kLanes == 2)) return std::nullopt;
  const PoolPlan<int> result = pool_plan<int>(plan, plan.c, tile_of<D, H, W>(plan, plan.c, launch));
  const View5& from = plan.self;
  const View5& to = plan.values;
  constexpr int kCells = W::kWindows * W::kStride;
  const bool whole = plan.out.w % W::kWindows == 0 && plan.out.w * W::kStride <= plan.in.w &&
                     cuda::in_packs(from.data, sizeof(Bits), kCells, {from.n, from.c, from.d, from.h}) &&
                     cuda::in_packs(to.data, sizeof(Bits), W::kWindows, {to.n, to.c, to.d, to.h}) &&
                     cuda::in_packs(plan.indices.data, size_of(plan.index_type), W::kWindows,
                                    {plan.indices.n, plan.indices.c});
  return whole ? start(pool_tiles<Format, D, H, CellRow<Format, W, true>, Blocks>, result, launch)
               : start(pool_tiles<Format, D, H, CellRow<Format, W, false>, Blocks>, result, launch);
}

template <int Blocks, typename Format, typename D, typename H, typename W>
std::optional<cudaError_t> launch_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (!shape_fits<D, H, W>(plan, Format::kLanes == 2)) return std::nullopt;
  const std::int64_t slices = plan.c / kChannels;
  const PoolPlan<int> result = pool_plan<int>(plan, slices, tile_of<D, H, W>(plan, slices, launch));
  return start(pool_tiles<Format, D, H, ChannelRow<Format, W>, Blocks>, result, launch);
}

// Halves with 32-bit indices alone: larger tiles, which would have too much to write with 64-bit ones.
template <int Blocks, typename Format, typename D, typename H, typename W>
std::optional<cudaError_t> launch_narrow(const Plan& plan, const cuda::CudaLaunch& launch) {
  if constexpr (Format::kLanes == 2) {
    if (plan.index_type == DataType::kInt32) return launch_rows<Blocks, Format, D, H, W>(plan, launch);
  }
  return std::nullopt;
}

using Attempt = std::optional<cudaError_t> (*)(const Plan&, const cuda::CudaLaunch&);

template <typename Format>
std::span<const Attempt> row_attempts() {
  constexpr int kPack = 16 / sizeof(typename Format::Bits) / 2;
  static constexpr Attempt kAttempts[] = {
      launch_rows<8, Format, Single, Halved<2>, Halved<kPack>>,
      launch_rows<12, Format, Halved<1>, Halved<1>, Halved<kPack>>,
      launch_rows<12, Format, Single, Overlapping<2>, Overlapping<kPack>>,
      launch_rows<5, Format, Overlapping<1>, Overlapping<2>, Overlapping<kPack>>,
      launch_rows<8, Format, Single, Same<3, 4>, Same<3, 4>>,
      launch_narrow<4, Format, Same<3, 1>, Same<3, 4>, Same<3, 4>>,
      launch_rows<4, Format, Same<3, 1>, Same<3, 2>, Same<3, 4>>,
      launch_rows<6, Format, Single, Same<5, 4>, Same<5, 4>>,
  };
  return kAttempts;
}

template <typename Format>
std::span<const Attempt> channel_attempts() {
  static constexpr Attempt kAttempts[] = {
      launch_channels<8, Format, Single, Halved<2>, Halved<1>>,
      launch_channels<8, Format, Halved<1>, Halved<1>, Halved<1>>,
      launch_channels<5, Format, Single, Overlapping<4>, Overlapping<1>>,
      launch_channels<5, Format, Overlapping<1>, Overlapping<2>, Overlapping<1>>,
  };
  return kAttempts;
}

template <typename Format>
std::optional<cudaError_t> launch_typed(const Plan& plan, bool channels, const cuda::CudaLaunch& launch) {
  for (const Attempt attempt : channels ? channel_attempts<Format>() : row_attempts<Format>())
    if (const auto error = attempt(plan, launch)) return error;
  return std::nullopt;
}

}  // namespace

std::optional<cudaError_t> launch_tiles(const Plan& plan, bool channels, const cuda::CudaLaunch& launch) {
  const bool rows = plan.self.w == 1 && plan.values.w == 1 && plan.indices.w == 1;
  const bool alike = plan.values.d == plan.indices.d && plan.values.h == plan.indices.h;
  if (!channels && !(rows && alike)) return std::nullopt;
  switch (plan.type) {
    case DataType::kFloat:
      return launch_typed<Float32>(plan, channels, launch);
    case DataType::kFloat16:
      return launch_typed<Float16>(plan, channels, launch);
    case DataType::kBf16:
      return launch_typed<Bfloat16>(plan, channels, launch);
    default:
      return std::nullopt;
  }
}

}  // namespace cairn::max_pool
