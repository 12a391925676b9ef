#include <algorithm>
#include <atomic>

#include "ops/kit/cuda/views.h"
#include "ops/kit/cuda/window_axis.h"
#include "ops/max_pool_backward/cuda/by_types.h"
#include "ops/max_pool_backward/cuda/marks.cuh"
#include "ops/max_pool_backward/cuda/methods.h"

namespace cairn::max_pool_backward {
namespace {

using cuda::divide_up;
using cuda::Divider;

constexpr std::int64_t kMostShared = 64 << 10;  // bytes of a block
constexpr std::int64_t kMostDistances = 8 << 10;
constexpr std::int64_t kMostCells = 6400;  // of a plane in one block, or of a tile and its margins

using Windows = cuda::Types<MarkWindow<1, 3, 3>, MarkWindow<1, 5, 5>, MarkWindow<3, 3, 3>>;

bool axis_fits(int taps, const cuda::WindowAxis<std::int64_t>& axis) {
  // An axis shorter than the window would give two taps the same distance.
  return axis.kernel == taps && axis.padding == taps / 2 && axis.stride == 1 && axis.is_dense() &&
         axis.in == axis.out && axis.in >= taps;
}

// body(Tag<Window>) for the window that the plan has.
template <typename Body, typename Result>
Result with_window(const Plan& plan, const Body& body, Result otherwise) {
  const cuda::WindowAxes<std::int64_t> axes = cuda::window_axes<std::int64_t>(plan);
  const auto fits = [&axes]<typename Window>(cuda::Tag<Window>) {
    return axis_fits(Window::kDepth, axes.d) && axis_fits(Window::kHeight, axes.h) &&
           axis_fits(Window::kWidth, axes.w);
  };
  return cuda::first_type(Windows{}, fits, body, otherwise);
}

constexpr std::int64_t round_up(std::int64_t value, std::int64_t to) { return divide_up(value, to) * to; }

// How planes are cut into tiles: runs of cells, whatever their rows.
struct Tiling {
  std::int64_t tile, margin, tiles;

  // A margin as long as the tile would have every window looked at three times.
  bool pays() const { return 2 * margin <= tile; }
};

Tiling tiling_of(std::int64_t cells, std::int64_t reach) {
  if (cells <= kMostCells) return {round_up(cells, kMarkPack), 0, 1};
  const std::int64_t margin = round_up(reach, kMarkPack);
  const std::int64_t most = std::max<std::int64_t>(kMostCells - 2 * margin, kMarkStep);
  const std::int64_t tile = round_up(divide_up(cells, divide_up(cells, most)), kMarkStep);
  return {tile, margin, divide_up(cells, tile)};
}

// What a block is and holds, in bytes of shared memory.
struct Marking {
  std::int64_t distances;
  Tiling tiling;
  std::int64_t blocks;
  std::int64_t warps;
  std::int64_t marks_at, values_at, stacks_at, bytes;

  template <typename Window>
  static Marking of(const Plan& plan, cuda::Tag<Window> /*window*/) {
    Marking result;
    result.distances =
        (Window::kDepth - 1) * plan.in.h * plan.in.w + (Window::kHeight - 1) * plan.in.w + Window::kWidth;
    result.tiling = tiling_of(plan.in.count(), result.distances / 2);
    const Tiling& tiling = result.tiling;
    result.blocks = plan.n * plan.c * tiling.tiles;
    result.warps = std::min<std::int64_t>(divide_up(tiling.tile, kMarkStep * kMarkPacks), kMostMarkWarps);
    const std::int64_t around = tiling.tile + 2 * tiling.margin;
    result.marks_at = round_up(result.distances + 2 * kMarkPack + 2 * tiling.margin * 4, 16);
    result.values_at = result.marks_at + around * 4;
    result.stacks_at = result.values_at + round_up(around * size_of(plan.type), 16);
    result.bytes = result.stacks_at + result.warps * kMarkStack * static_cast<int>(sizeof(std::uint16_t));
    return result;
  }
};

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

MarkPlan mark_plan(const Plan& plan, const Marking& marking, const cuda::CudaLaunch& launch) {
  const auto narrow = [](std::int64_t number) { return static_cast<int>(number); };
  const int element = size_of(plan.type);
  const View5& from = plan.grad_output;
  const View5& indices = plan.indices;
  const View5& to = plan.grad_input;
  MarkPlan result{};
  result.grad_output = from.data;
  result.indices = indices.data;
  result.grad_input = to.data;
  result.output_n = from.n;
  result.output_c = from.c;
  result.index_n = indices.n;
  result.index_c = indices.c;
  result.input_n = to.n;
  result.input_c = to.c;
  result.row = narrow(plan.in.w);
  result.slab = narrow(plan.in.h * plan.in.w);
  result.plane = narrow(plan.in.count());
  result.tile = narrow(marking.tiling.tile);
  result.margin = narrow(marking.tiling.margin);
  result.reach = narrow(marking.distances / 2);
  result.distances = narrow(marking.distances);
  result.marks_at = narrow(marking.marks_at);
  result.values_at = narrow(marking.values_at);
  result.stacks_at = narrow(marking.stacks_at);
  result.by_tiles = Divider<std::uint32_t>(marking.tiling.tiles);
  result.by_c = Divider<std::uint32_t>(plan.c);
  result.whole_packs =
      cuda::in_packs(from.data, element, kMarkPack, {plan.in.count(), from.n, from.c}) &&
      cuda::in_packs(indices.data, size_of(plan.index_type), kMarkPack, {indices.n, indices.c}) &&
      cuda::in_packs(to.data, element, kMarkPack, {to.n, to.c});
  result.channels_last = plan.channels_last;
  result.repairs = cuda::repairs_of(launch);
  result.faults = cuda::fault_sink(launch);
  return result;
}

template <typename T, typename Index, typename Window>
cudaError_t start(const Plan& plan, const Marking& marking, const cuda::CudaLaunch& launch) {
  constexpr auto kKernel = sum_marked<T, Index, Window>;
  const cudaError_t error = allow_shared<kKernel>();
  if (error != cudaSuccess) return error;
  return cuda::start_kernel(kKernel, mark_plan(plan, marking, launch), marking.blocks,
                            static_cast<int>(marking.warps) * kWarp, static_cast<std::size_t>(marking.bytes),
                            launch.stream);
}

template <typename Window>
const char* why_not_window(const Plan& plan) {
  const Marking marking = Marking::of(plan, cuda::Tag<Window>{});
  if (marking.distances > kMostDistances) return "taps lie too far apart";
  if (!marking.tiling.pays()) return "tiles would be mostly margin";
  if (marking.blocks >= INT32_MAX) return "too many blocks";
  if (Window::kTaps <= 9 && marking.tiling.tiles > 1 && plan.index_type == DataType::kInt32)
    return "planes are cut and windows small: tiles are faster";
  if (marking.bytes > kMostShared) return "too little shared memory";
  return nullptr;
}

template <typename Window>
cudaError_t run_window(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Marking marking = Marking::of(plan, cuda::Tag<Window>{});
  const cudaError_t error = by_types(plan, [&]<typename T, typename Index>(cuda::Tag<T>, cuda::Tag<Index>) {
    return start<T, Index, Window>(plan, marking, launch);
  });
  // A block that has a whole plane repairs it itself.
  return error != cudaSuccess || marking.tiling.tiles == 1 ? error : run_repair(plan, launch);
}

}  // namespace

const char* why_not_marks(const Plan& plan) {
  if (const char* reason = why_not_floats(plan)) return reason;
  if (plan.n * plan.c == 0 || plan.in.count() == 0) return "no cells";
  if (plan.in.count() >= cuda::kNarrow) return "needs 64-bit coordinates";
  if (!cuda::is_dense(plan.grad_output, plan.out) || !cuda::is_dense(plan.indices, plan.out) ||
      !cuda::is_dense(plan.grad_input, plan.in))
    return "planes have gaps";
  return with_window(
      plan, [&]<typename Window>(cuda::Tag<Window>) { return why_not_window<Window>(plan); },
      "no marks for this window shape");
}

cudaError_t run_marks(const Plan& plan, const cuda::CudaLaunch& launch) {
  return with_window(
      plan, [&]<typename Window>(cuda::Tag<Window>) { return run_window<Window>(plan, launch); },
      cudaErrorInvalidValue);
}

}  // namespace cairn::max_pool_backward
