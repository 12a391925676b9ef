#include <algorithm>
#include <atomic>

#include "ops/kit/cuda/views.h"
#include "ops/max_pool_backward/cuda/marks.cuh"
#include "ops/max_pool_backward/cuda/marks.h"

namespace cairn::max_pool_backward {
namespace {

using cuda::divide_up;
using cuda::Divider;

constexpr std::int64_t kMostShared = 64 << 10;  // bytes of a block
constexpr std::int64_t kMostDistances = 8 << 10;
constexpr std::int64_t kMostCells = 6400;  // of a plane in one block, or of a tile and its margins
constexpr std::int64_t kMostPlane = 1 << 29;

bool lies_flat(const View5& view, const Size3& size) {
  return (size.w == 1 || view.w == 1) && (size.h == 1 || view.h == size.w) &&
         (size.d == 1 || view.d == size.h * size.w);
}

bool axis_fits(int taps, std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
               std::int64_t padding, std::int64_t dilation) {
  // An axis shorter than the window would give two taps the same distance.
  return kernel == taps && padding == taps / 2 && stride == 1 && (dilation == 1 || taps == 1) && in == out &&
         in >= taps;
}

template <typename Window>
bool shape_fits(const Plan& p) {
  return axis_fits(Window::kDepth, p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d) &&
         axis_fits(Window::kHeight, p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h) &&
         axis_fits(Window::kWidth, p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w);
}

// How planes are cut into tiles: runs of cells, whatever their rows.
struct Tiling {
  std::int64_t tile, margin, tiles;

  // A margin as long as the tile would have every window looked at three times.
  bool pays() const { return 2 * margin <= tile; }
};

Tiling tiling_of(std::int64_t cells, std::int64_t reach) {
  const auto round_up = [](std::int64_t value, int to) { return divide_up(value, to) * to; };
  if (cells <= kMostCells) return {round_up(cells, kMarkPack), 0, 1};
  const std::int64_t margin = round_up(reach, kMarkPack);
  const std::int64_t most = std::max<std::int64_t>(kMostCells - 2 * margin, kMarkStep);
  const std::int64_t tile = round_up(divide_up(cells, divide_up(cells, most)), kMarkStep);
  return {tile, margin, divide_up(cells, tile)};
}

template <auto Kernel>
cudaError_t allow_shared() {
  static std::atomic<std::uint64_t> allowed{0};  // by device
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) return error;
  const std::uint64_t bit = device < 64 ? std::uint64_t{1} << device : 0;
  if ((allowed.load(std::memory_order_relaxed) & bit) != 0) return cudaSuccess;
  const cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void*>(Kernel),
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared);
  if (error == cudaSuccess) allowed.fetch_or(bit, std::memory_order_relaxed);
  return error;
}

template <typename T, typename Index>
MarkPlan mark_plan(const Plan& plan, const Tiling& tiling, std::int64_t distances,
                   const cuda::CudaLaunch& launch) {
  MarkPlan result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.output_n = plan.grad_output.n;
  result.output_c = plan.grad_output.c;
  result.index_n = plan.indices.n;
  result.index_c = plan.indices.c;
  result.input_n = plan.grad_input.n;
  result.input_c = plan.grad_input.c;
  result.row = static_cast<int>(plan.in.w);
  result.slab = static_cast<int>(plan.in.h * plan.in.w);
  result.plane = static_cast<int>(plan.in.count());
  result.tile = static_cast<int>(tiling.tile);
  result.margin = static_cast<int>(tiling.margin);
  result.reach = static_cast<int>(distances / 2);
  result.distances = static_cast<int>(distances);
  const int around = result.tile + 2 * result.margin;
  const auto in_sixteens = [](int bytes) { return (bytes + 15) / 16 * 16; };
  result.marks_at = in_sixteens(result.distances + 2 * kMarkPack + 2 * result.margin * 4);
  result.values_at = result.marks_at + around * 4;
  result.stacks_at = result.values_at + in_sixteens(around * static_cast<int>(sizeof(T)));
  result.by_tiles = Divider<std::uint32_t>(tiling.tiles);
  result.by_c = Divider<std::uint32_t>(plan.c);
  const View5& from = plan.grad_output;
  const View5& to = plan.grad_input;
  result.whole_packs =
      cuda::in_packs(from.data, sizeof(T), kMarkPack, {plan.in.count(), from.n, from.c}) &&
      cuda::in_packs(plan.indices.data, sizeof(Index), kMarkPack, {plan.indices.n, plan.indices.c}) &&
      cuda::in_packs(to.data, sizeof(T), kMarkPack, {to.n, to.c});
  result.channels_last = plan.channels_last;
  result.repairs = cuda::repairs_of(launch);
  result.faults = cuda::fault_sink(launch);
  return result;
}

template <typename T, typename Index, typename Window>
std::optional<Started> launch_window(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (!shape_fits<Window>(plan)) return std::nullopt;
  const std::int64_t distances =
      (Window::kDepth - 1) * plan.in.h * plan.in.w + (Window::kHeight - 1) * plan.in.w + Window::kWidth;
  if (distances > kMostDistances) return std::nullopt;
  const Tiling tiling = tiling_of(plan.in.count(), distances / 2);
  const std::int64_t blocks = plan.n * plan.c * tiling.tiles;
  if (!tiling.pays() || blocks >= INT32_MAX) return std::nullopt;
  // Where planes are cut, asking nine windows is faster; but not when their indices take 64 bits.
  if (Window::kTaps <= 9 && tiling.tiles > 1 && sizeof(Index) == 4) return std::nullopt;
  const MarkPlan result = mark_plan<T, Index>(plan, tiling, distances, launch);
  const auto warps = static_cast<int>(
      std::min<std::int64_t>(divide_up(tiling.tile, kMarkStep * kMarkPacks), kMostMarkWarps));
  const int shared = result.stacks_at + warps * kMarkStack * static_cast<int>(sizeof(std::uint16_t));
  if (shared > kMostShared) return std::nullopt;
  constexpr auto kKernel = sum_marked<T, Index, Window>;
  cudaError_t error = allow_shared<kKernel>();
  if (error == cudaSuccess) {
    error = cuda::start_kernel(kKernel, result, blocks, warps * kWarp, static_cast<std::size_t>(shared),
                               launch.stream);
  }
  return Started{error, tiling.tiles == 1};
}

template <typename T, typename Index>
std::optional<Started> launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  for (const auto attempt :
       {launch_window<T, Index, MarkWindow<1, 3, 3>>, launch_window<T, Index, MarkWindow<1, 5, 5>>,
        launch_window<T, Index, MarkWindow<3, 3, 3>>})
    if (const auto started = attempt(plan, launch)) return started;
  return std::nullopt;
}

template <typename T>
std::optional<Started> launch_indexed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.index_type == DataType::kInt32) return launch_typed<T, std::int32_t>(plan, launch);
  return launch_typed<T, std::int64_t>(plan, launch);
}

}  // namespace

std::optional<Started> launch_marks(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.in.count() == 0 || plan.in.count() >= kMostPlane || !lies_flat(plan.grad_output, plan.out) ||
      !lies_flat(plan.indices, plan.out) || !lies_flat(plan.grad_input, plan.in))
    return std::nullopt;
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
