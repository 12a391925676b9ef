#include <array>
#include <bit>
#include <numeric>

#include "ops/candidate.h"
#include "ops/max_pool_backward/cuda/anywhere.cuh"
#include "ops/max_pool_backward/cuda/candidates.h"
#include "ops/max_pool_backward/cuda/channels.cuh"
#include "ops/max_pool_backward/cuda/marks.h"
#include "ops/max_pool_backward/cuda/rows.cuh"
#include "ops/max_pool_backward/cuda/tiles.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {
namespace {

constexpr int kThreads = kWarp * kWarpsPerBlock;

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

// The stride of an axis with at most one element never counts.
View5 zeroed_strides(View5 view, std::int64_t n, std::int64_t c, const Size3& size) {
  if (n <= 1) view.n = 0;
  if (c <= 1) view.c = 0;
  if (size.d <= 1) view.d = 0;
  if (size.h <= 1) view.h = 0;
  if (size.w <= 1) view.w = 0;
  return view;
}

struct AxisSize {
  std::int64_t in, out, stride, padding, extent;

  std::int64_t boxes(std::int64_t box) const { return std::max<std::int64_t>(divide_up(in, box), 1); }
  // Windows that a box away from the border meets, times the boxes.
  std::int64_t visits(std::int64_t box) const {
    const std::int64_t count = boxes(box);
    if (count == 1) return out;
    const std::int64_t first = divide_up(std::max<std::int64_t>(box + padding - extent + 1, 0), stride);
    return count * std::min(out, (2 * box - 1 + padding) / stride + 1 - first);
  }
  // Windows that reach no cell at all.
  std::int64_t windows_beyond() const {
    const std::int64_t before = padding < extent ? 0 : divide_up(padding - extent + 1, stride);
    const std::int64_t after = out - ((in - 1 + padding) / stride + 1);
    return before + std::max<std::int64_t>(after, 0);
  }
  // At most `most` cells, boxes of like sizes, in whole strides where that fits.
  std::int64_t even_box(std::int64_t most) const {
    if (in <= most) return std::max<std::int64_t>(in, 1);
    const std::int64_t even = divide_up(in, divide_up(in, most));
    const std::int64_t whole = divide_up(even, stride) * stride;
    return whole <= most ? whole : even;
  }
};

// The most windows that one box can meet.
std::int64_t most_windows(const AxisSize& axis, std::int64_t box) {
  if (axis.boxes(box) == 1) return axis.out;
  // The first and the last box also take the windows that reach no cell.
  return std::min(axis.out, (box + axis.extent - 2) / axis.stride + 1 + axis.windows_beyond());
}

AxisSize axis_size(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                   std::int64_t padding, std::int64_t dilation) {
  return {in, out, out > 1 ? stride : 1, padding, (kernel - 1) * dilation + 1};
}

struct Axes {
  AxisSize d, h, w;
  explicit Axes(const Plan& p)
      : d(axis_size(p.in.d, p.out.d, p.kernel.d, p.stride.d, p.padding.d, p.dilation.d)),
        h(axis_size(p.in.h, p.out.h, p.kernel.h, p.stride.h, p.padding.h, p.dilation.h)),
        w(axis_size(p.in.w, p.out.w, p.kernel.w, p.stride.w, p.padding.w, p.dilation.w)) {}
};

// The box of at most `room` cells, `width` wide, whose windows are visited least.
Size3 best_box(const Axes& axes, std::int64_t width, std::int64_t room) {
  const std::int64_t rows = std::max<std::int64_t>(room / width, 1);
  Size3 best{1, 1, width};
  std::int64_t least = INT64_MAX;
  for (std::int64_t depth = 1; depth <= rows; depth += std::max<std::int64_t>(depth / 4, 1)) {
    const std::int64_t d = axes.d.even_box(depth);
    const std::int64_t h = axes.h.even_box(std::max<std::int64_t>(rows / d, 1));
    const std::int64_t visits = axes.d.visits(d) * axes.h.visits(h);
    if (visits < least) {
      least = visits;
      best = {d, h, width};
    }
    if (depth >= axes.d.in) break;
  }
  return best;
}

bool fits_int(const Plan& plan, const Axes& axes) {
  constexpr std::int64_t kMost = 1 << 29;
  for (const AxisSize& axis : {axes.d, axes.h, axes.w}) {
    for (const std::int64_t size : {axis.in, axis.out, axis.stride, axis.padding, axis.extent})
      if (size >= kMost) return false;
  }
  const View5& from = plan.grad_output;
  const std::int64_t steps[3] = {plan.out.d * from.d, plan.out.h * from.h, plan.out.w * from.w};
  const bool same_strides = from.d == plan.indices.d && from.h == plan.indices.h && from.w == plan.indices.w;
  return same_strides && plan.out.count() < INT32_MAX - kThreads &&
         plan.in.d * plan.in.h <= INT32_MAX / std::max<std::int64_t>(plan.in.w, 1) &&
         std::max({steps[0], steps[1], steps[2], steps[0] + steps[1] + steps[2]}) <= INT32_MAX;
}

template <typename Coord>
BoxAxis<Coord> box_axis(const AxisSize& axis, std::int64_t box) {
  BoxAxis<Coord> result;
  result.in = static_cast<Coord>(axis.in);
  result.out = static_cast<Coord>(axis.out);
  result.stride = static_cast<Coord>(axis.stride);
  result.padding = static_cast<Coord>(axis.padding);
  result.extent = static_cast<Coord>(axis.extent);
  result.box = static_cast<Coord>(box);
  result.boxes = static_cast<Coord>(axis.boxes(box));
  result.by_stride = decltype(result.by_stride)(axis.stride);
  return result;
}

// How many elements one store may always take: `runs` are the lengths and steps that every store starts from.
int pack_of(const View5& to, int element, std::initializer_list<std::int64_t> runs) {
  std::int64_t common = 16 / element;
  const auto address = reinterpret_cast<std::uintptr_t>(to.data) / static_cast<unsigned>(element);
  common = std::gcd(common, static_cast<std::int64_t>(address % 16));
  for (const std::int64_t run : runs) common = std::gcd(common, run);
  return static_cast<int>(common);
}

template <typename Coord>
BoxPlan<Coord> box_plan(const Plan& plan, const Axes& axes, const Size3& box, std::int64_t slices,
                        const cuda::CudaLaunch& launch) {
  using Unsigned = std::make_unsigned_t<Coord>;
  BoxPlan<Coord> result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.d = box_axis<Coord>(axes.d, box.d);
  result.h = box_axis<Coord>(axes.h, box.h);
  result.w = box_axis<Coord>(axes.w, box.w);
  result.height = cuda::Divider<Unsigned>(std::max<std::int64_t>(plan.in.h, 1));
  result.width = cuda::Divider<Unsigned>(std::max<std::int64_t>(plan.in.w, 1));
  result.index_limit = static_cast<std::uint64_t>(plan.in.count());
  if (plan.index_type == DataType::kInt32)
    result.index_limit = std::min<std::uint64_t>(result.index_limit, std::uint64_t{1} << 31);
  result.c = static_cast<std::uint64_t>(plan.c);
  const std::int64_t boxes[3] = {axes.d.boxes(box.d), axes.h.boxes(box.h), axes.w.boxes(box.w)};
  result.items = static_cast<std::uint64_t>(plan.n * slices * boxes[0] * boxes[1] * boxes[2]);
  result.by_slices = cuda::Divider<std::uint64_t>(slices);
  result.by_boxes_d = cuda::Divider<std::uint64_t>(boxes[0]);
  result.by_boxes_h = cuda::Divider<std::uint64_t>(boxes[1]);
  result.by_boxes_w = cuda::Divider<std::uint64_t>(boxes[2]);
  result.output_strides = strides_of<Coord>(plan.grad_output);
  result.index_strides = strides_of<Coord>(plan.indices);
  result.input_strides = strides_of<std::int64_t>(plan.grad_input);
  result.repairs = cuda::repairs_of(launch);
  return result;
}

template <typename KernelPlan>
cudaError_t start(void (*kernel)(KernelPlan), const KernelPlan& plan, int shared_floats,
                  const cuda::CudaLaunch& launch, std::int64_t most_blocks = INT64_MAX) {
  const std::int64_t blocks = divide_up(static_cast<std::int64_t>(plan.items), kWarpsPerBlock);
  return cuda::start_kernel(kernel, plan, std::min(blocks, most_blocks), kThreads,
                            static_cast<std::size_t>(shared_floats) * sizeof(float), launch.stream);
}

template <typename T, typename Index, typename Coord>
cudaError_t launch_anywhere(const Plan& plan, bool repairs, const cuda::CudaLaunch& launch) {
  using Unsigned = std::make_unsigned_t<Coord>;
  const std::int64_t cells = plan.in.count();
  const std::int64_t runs = std::max<std::int64_t>(divide_up(cells, kRun), 1);
  AnywherePlan<Coord> result{};
  result.grad_output = plan.grad_output.data;
  result.indices = plan.indices.data;
  result.grad_input = plan.grad_input.data;
  result.output_strides = strides_of<std::int64_t>(plan.grad_output);
  result.index_strides = strides_of<std::int64_t>(plan.indices);
  result.input_strides = strides_of<std::int64_t>(plan.grad_input);
  const auto divider = [](std::int64_t by) { return cuda::Divider<Unsigned>(std::max<std::int64_t>(by, 1)); };
  result.in_h = divider(plan.in.h);
  result.in_w = divider(plan.in.w);
  result.out_h = divider(plan.out.h);
  result.out_w = divider(plan.out.w);
  result.by_runs = cuda::Divider<std::uint64_t>(runs);
  result.by_c = cuda::Divider<std::uint64_t>(plan.c);
  result.plane_size = static_cast<Coord>(cells);
  result.windows = static_cast<Coord>(plan.out.count());
  result.items = static_cast<std::uint64_t>(plan.n * plan.c * runs);
  result.channels_last = plan.channels_last;
  result.only_repairs = repairs;
  result.repairs = cuda::repairs_of(launch);
  result.faults = cuda::fault_sink(launch);
  return start(scatter_anywhere<T, Index, Coord>, result, 0, launch,
               repairs ? launch.multiprocessors : INT64_MAX);
}

template <typename T, typename Index, typename Coord>
cudaError_t launch_rows(const Plan& plan, const Axes& axes, const Size3& box,
                        const cuda::CudaLaunch& launch) {
  BoxPlan<Coord> result = box_plan<Coord>(plan, axes, box, plan.c, launch);
  const View5& to = plan.grad_input;
  result.rows_follow =
      box.w == plan.in.w && (to.h == plan.in.w || plan.in.h == 1) && (to.w == 1 || plan.in.w == 1);
  result.slabs_follow = result.rows_follow && box.h == plan.in.h && to.d == plan.in.h * plan.in.w;
  if (plan.in.w == 1 && !result.rows_follow) result.input_strides.w = 1;
  if (result.rows_follow) result.input_strides.w = 1;
  const std::int64_t last_h = plan.in.h - (axes.h.boxes(box.h) - 1) * box.h;
  const std::int64_t last_w = plan.in.w - (axes.w.boxes(box.w) - 1) * box.w;
  const int element = size_of(plan.type);
  result.pack = result.rows_follow ? pack_of(to, element, {box.h * box.w, last_h * box.w, to.n, to.c, to.d})
                                   : pack_of(to, element, {box.w, last_w, to.n, to.c, to.d, to.h});
  // Windows of a row that share a cell are less than an extent apart.
  const std::int64_t reach = divide_up(axes.w.extent, axes.w.stride) - 1;
  result.conflict_reach = static_cast<int>(std::min<std::int64_t>(reach, kWarp - 1));
  // Windows of two rows may share a cell: no group of lanes may hold both, unless they are far apart in it.
  const std::int64_t row = most_windows(axes.w, box.w);
  // The template's reach may be one more than the windows'.
  const bool far_apart = row > kWarp + reach || (reach == 0 && axes.h.extent <= axes.h.stride);
  result.by_row_step = cuda::Divider<std::make_unsigned_t<Coord>>(
      std::max<std::int64_t>(far_apart ? row : divide_up(row, kWarp) * kWarp, 1));
  result.floats_per_warp = static_cast<int>(divide_up(box.count(), 4) * 4);
  const auto start_with = [&](void (*kernel)(BoxPlan<Coord>)) {
    return start(kernel, result, result.floats_per_warp * kWarpsPerBlock, launch);
  };
  if constexpr (sizeof(Coord) == 4) {
    const auto start_common = [&]<int Reach>(std::integral_constant<int, Reach>) {
      const bool flat = result.by_row_step.divisor() != kWarp;
      if (plan.in.d == 1) {
        return flat ? start_with(scatter_rows<T, Index, Reach, true, true, Coord>)
                    : start_with(scatter_rows<T, Index, Reach, false, true, Coord>);
      }
      return flat ? start_with(scatter_rows<T, Index, Reach, true, false, Coord>)
                  : start_with(scatter_rows<T, Index, Reach, false, false, Coord>);
    };
    if (box.w == plan.in.w && reach > 0 && reach <= 2) return start_common(std::integral_constant<int, 2>{});
    if (box.w == plan.in.w && reach > 2 && reach <= 4) return start_common(std::integral_constant<int, 4>{});
  }
  return start_with(scatter_rows<T, Index, kAnyReach, true, false, Coord>);
}

template <typename T, typename Index, typename Coord>
cudaError_t launch_channels(const Plan& plan, const Axes& axes, const Size3& box,
                            const cuda::CudaLaunch& launch) {
  BoxPlan<Coord> result = box_plan<Coord>(plan, axes, box, divide_up(plan.c, kWarp), launch);
  const View5& to = plan.grad_input;
  result.pack = pack_of(to, size_of(plan.type), {plan.c, to.n, to.d, to.h, to.w});
  result.floats_per_warp = static_cast<int>(box.count()) * kWarp;
  return start(scatter_channels<T, Index, Coord>, result, result.floats_per_warp * kWarpsPerBlock, launch);
}

// Few enough cells and windows for one warp a plane to be as fast as anything.
bool is_small(const Plan& plan) {
  return plan.in.count() <= kRun && plan.out.count() <= kRun &&
         plan.n * plan.c * (plan.in.count() + plan.out.count()) <= 1 << 12;
}

bool channels_adjoin(const Plan& plan) {
  return plan.c >= 16 && plan.grad_output.c == 1 && plan.indices.c == 1 && plan.grad_input.c == 1;
}

template <typename T, typename Index, typename Coord>
cudaError_t launch_sized(const Plan& plan, const Axes& axes, const cuda::CudaLaunch& launch) {
  if (is_small(plan)) return launch_anywhere<T, Index, Coord>(plan, false, launch);
  constexpr std::int64_t kRoom = 2304;
  cudaError_t error = cudaSuccess;
  if (const auto marked = launch_marks(plan, launch)) {
    if (marked->complete) return marked->error;
    error = marked->error;
  } else if (const auto tiled = launch_tiles(plan, launch)) {
    error = *tiled;
  } else if (channels_adjoin(plan)) {
    const Size3 box = best_box(axes, axes.w.even_box(8), kRoom / kWarp);
    error = launch_channels<T, Index, Coord>(plan, axes, box, launch);
  } else {
    const Size3 box = best_box(axes, axes.w.even_box(kRoom), kRoom);
    error = launch_rows<T, Index, Coord>(plan, axes, box, launch);
  }
  return error != cudaSuccess ? error : launch_anywhere<T, Index, Coord>(plan, true, launch);
}

template <typename T, typename Index>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Axes axes(plan);
  if (fits_int(plan, axes)) return launch_sized<T, Index, int>(plan, axes, launch);
  return launch_sized<T, Index, std::int64_t>(plan, axes, launch);
}

template <typename T>
cudaError_t launch_indexed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.index_type == DataType::kInt32) return launch_typed<T, std::int32_t>(plan, launch);
  return launch_typed<T, std::int64_t>(plan, launch);
}

cudaError_t launch(const Plan& given, const cuda::CudaLaunch& launch) {
  if (given.n == 0 || given.c == 0) return cudaSuccess;
  Plan plan = given;
  plan.grad_output = zeroed_strides(plan.grad_output, plan.n, plan.c, plan.out);
  plan.indices = zeroed_strides(plan.indices, plan.n, plan.c, plan.out);
  plan.grad_input = zeroed_strides(plan.grad_input, plan.n, plan.c, plan.in);
  switch (plan.type) {
    case DataType::kFloat:
      return launch_indexed<float>(plan, launch);
    case DataType::kFloat16:
      return launch_indexed<__half>(plan, launch);
    case DataType::kBf16:
      return launch_indexed<__nv_bfloat16>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_pool_backward
