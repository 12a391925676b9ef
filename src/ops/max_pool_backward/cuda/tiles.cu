#include <algorithm>
#include <initializer_list>
#include <span>

#include "ops/max_pool_backward/cuda/tiles.cuh"
#include "ops/max_pool_backward/cuda/tiles.h"

namespace cairn::max_pool_backward {
namespace {

using cuda::Divider;

constexpr std::int64_t kMost = 1 << 29;  // sizes, and offsets in a plane, that leave room for a tile more

using Single = TileAxis<1, 1, 0, 1>;
template <int Tile>
using Halved = TileAxis<2, 2, 0, Tile>;  // kernel 2, stride 2
template <int Tile>
using Overlapping = TileAxis<3, 2, 1, Tile>;  // kernel 3, stride 2, padding 1
template <int Kernel, int Tile>
using Same = TileAxis<Kernel, 1, Kernel / 2, Tile>;  // stride 1, as many windows as cells

std::int64_t tiles(std::int64_t in, int tile) { return (in + tile - 1) / tile; }

// Every window must be some tile's own.
template <typename Axis>
bool axis_fits(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
               std::int64_t padding, std::int64_t dilation) {
  return kernel == Axis::kKernel && stride == Axis::kStride && padding == Axis::kPadding &&
         (dilation == 1 || kernel == 1) && in > 0 && in < kMost && out > 0 &&
         out <= tiles(in, Axis::kTile) * Axis::kOwn;
}

template <typename D, typename H, typename W>
bool shape_fits(const Plan& p) {
  return axis_fits<D>(p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d) &&
         axis_fits<H>(p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h) &&
         axis_fits<W>(p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w);
}

bool offsets_fit(const Plan& plan) {
  const auto fits = [](const View5& view, const Size3& size) {
    return size.d * view.d < kMost && size.h * view.h < kMost && size.w * view.w < kMost;
  };
  return plan.grad_output.d == plan.indices.d && plan.grad_output.h == plan.indices.h &&
         plan.grad_output.w == plan.indices.w && fits(plan.grad_output, plan.out) &&
         fits(plan.grad_input, plan.in) && plan.in.d * plan.in.h < kMost / plan.in.w;
}

template <typename T>
bool packs(const void* base, std::int64_t count, std::initializer_list<std::int64_t> steps) {
  return reinterpret_cast<std::uintptr_t>(base) % (static_cast<std::size_t>(count) * sizeof(T)) == 0 &&
         std::all_of(steps.begin(), steps.end(), [count](std::int64_t step) { return step % count == 0; });
}

template <typename D, typename H, typename W>
TilePlan tile_plan(const Plan& plan, std::int64_t slices, const cuda::CudaLaunch& launch) {
  TilePlan result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.in_d = static_cast<int>(plan.in.d);
  result.in_h = static_cast<int>(plan.in.h);
  result.in_w = static_cast<int>(plan.in.w);
  result.out_d = static_cast<int>(plan.out.d);
  result.out_h = static_cast<int>(plan.out.h);
  result.out_w = static_cast<int>(plan.out.w);
  result.output_strides = strides_of<int>(plan.grad_output);
  result.index_n = plan.indices.n;
  result.index_c = plan.indices.c;
  result.input_strides = strides_of<int>(plan.grad_input);
  result.index_limit = static_cast<std::uint64_t>(plan.in.count());
  result.height = Divider<std::uint32_t>(plan.in.h);
  result.width = Divider<std::uint32_t>(plan.in.w);
  const std::int64_t counts[3] = {tiles(plan.in.d, D::kTile), tiles(plan.in.h, H::kTile),
                                  tiles(plan.in.w, W::kTile)};
  result.items = static_cast<std::uint32_t>(plan.n * slices * counts[0] * counts[1] * counts[2]);
  result.by_tiles_d = Divider<std::uint32_t>(counts[0]);
  result.by_tiles_h = Divider<std::uint32_t>(counts[1]);
  result.by_tiles_w = Divider<std::uint32_t>(counts[2]);
  result.by_slices = Divider<std::uint32_t>(slices);
  result.c = static_cast<std::uint32_t>(plan.c);
  result.repairs = cuda::repairs_of(launch);
  return result;
}

cudaError_t start(void (*kernel)(TilePlan), const TilePlan& plan, const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, tiles(plan.items, kTileThreads), kTileThreads, 0, launch.stream);
}

template <typename T, typename Index, typename D, typename H, typename W>
std::optional<cudaError_t> launch_rows(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (!shape_fits<D, H, W>(plan)) return std::nullopt;
  TilePlan result = tile_plan<D, H, W>(plan, plan.c, launch);
  const View5& from = plan.grad_output;
  const View5& to = plan.grad_input;
  result.whole_packs = plan.out.w == tiles(plan.in.w, W::kTile) * W::kOwn &&
                       packs<T>(from.data, W::kOwn, {from.n, from.c, from.d, from.h}) &&
                       packs<Index>(plan.indices.data, W::kOwn, {plan.indices.n, plan.indices.c}) &&
                       packs<T>(to.data, W::kTile, {plan.in.w, to.n, to.c, to.d, to.h});
  return start(sum_tiles<T, Index, D, H, W>, result, launch);
}

template <typename T, typename Index, typename D, typename H, typename W>
std::optional<cudaError_t> launch_channels(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (!shape_fits<D, H, W>(plan)) return std::nullopt;
  const TilePlan result = tile_plan<D, H, W>(plan, plan.c / kTileChannels, launch);
  return start(sum_channel_tiles<T, Index, D, H, W>, result, launch);
}

using Attempt = std::optional<cudaError_t> (*)(const Plan&, const cuda::CudaLaunch&);

template <typename T, typename Index>
std::span<const Attempt> row_attempts() {
  constexpr int kPack = 16 / sizeof(T);
  static constexpr Attempt kAttempts[] = {
      launch_rows<T, Index, Single, Halved<4>, Halved<kPack>>,
      launch_rows<T, Index, Halved<2>, Halved<2>, Halved<kPack>>,
      launch_rows<T, Index, Single, Overlapping<4>, Overlapping<kPack>>,
      launch_rows<T, Index, Overlapping<2>, Overlapping<2>, Overlapping<kPack>>,
  };
  return kAttempts;
}

// With 64-bit indices the reads of so many windows cost more than the scatter does.
template <typename T>
std::span<const Attempt> same_attempts() {
  static constexpr Attempt kAttempts[] = {
      launch_rows<T, std::int32_t, Single, Same<3, 4>, Same<3, 4>>,
      launch_rows<T, std::int32_t, Same<3, 2>, Same<3, 2>, Same<3, 4>>,
  };
  return kAttempts;
}

template <typename T, typename Index>
std::span<const Attempt> channel_attempts() {
  static constexpr Attempt kAttempts[] = {
      launch_channels<T, Index, Single, Halved<2>, Halved<2>>,
      launch_channels<T, Index, Halved<2>, Halved<2>, Halved<2>>,
      launch_channels<T, Index, Single, Overlapping<4>, Overlapping<2>>,
      launch_channels<T, Index, Overlapping<2>, Overlapping<2>, Overlapping<2>>,
  };
  return kAttempts;
}

template <typename T, typename Index>
std::optional<cudaError_t> launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  const View5& from = plan.grad_output;
  const View5& to = plan.grad_input;
  const bool channels_adjoin = plan.c % kTileChannels == 0 && from.c == 1 && plan.indices.c == 1 &&
                               to.c == 1 &&
                               packs<T>(from.data, kTileChannels, {from.n, from.d, from.h, from.w}) &&
                               packs<Index>(plan.indices.data, kTileChannels, {plan.indices.n}) &&
                               packs<T>(to.data, kTileChannels, {to.n, to.d, to.h, to.w});
  const bool rows_adjoin = from.w == 1 && to.w == 1;
  if (!channels_adjoin && !rows_adjoin) return std::nullopt;
  for (const Attempt attempt : channels_adjoin ? channel_attempts<T, Index>() : row_attempts<T, Index>())
    if (const auto error = attempt(plan, launch)) return error;
  if (channels_adjoin || sizeof(Index) != 4) return std::nullopt;
  for (const Attempt attempt : same_attempts<T>())
    if (const auto error = attempt(plan, launch)) return error;
  return std::nullopt;
}

template <typename T>
std::optional<cudaError_t> launch_indexed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.index_type == DataType::kInt32) return launch_typed<T, std::int32_t>(plan, launch);
  return launch_typed<T, std::int64_t>(plan, launch);
}

}  // namespace

std::optional<cudaError_t> launch_tiles(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.in.count() == 0 || plan.out.count() == 0 || !offsets_fit(plan)) return std::nullopt;
  // Threads are counted in 32 bits; a tile has four cells or more.
  if (plan.n * plan.c >= kMost || plan.n * plan.c * plan.in.count() / 4 >= INT32_MAX) return std::nullopt;
  switch (plan.type) {
    case DataType::kFloat:
      return launch_indexed<float>(plan, launch);
    case DataType::kFloat16:
      return launch_indexed<__half>(plan, launch);
    case DataType::kBf16:
      return launch_indexed<__nv_bfloat16>(plan, launch);
    default:
      return std::nullopt;
  }
}

}  // namespace cairn::max_pool_backward
