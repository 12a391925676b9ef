#include <algorithm>
#include <array>
#include <optional>

#include "ops/candidate.h"
#include "ops/kit/cuda/views.h"
#include "ops/max_unpool/cuda/boxes.cuh"
#include "ops/max_unpool/cuda/candidates.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {
namespace {

using cuda::divide_up;

constexpr std::int64_t kTileSlots = 8192;
constexpr std::int64_t kTileBytes = 32 << 10;  // leaves room for six blocks on a multiprocessor
constexpr std::int64_t kMostBytes = 48 << 10;

PooledStrides strides_of(const View5& view) { return {view.n, view.c, view.d, view.h, view.w}; }

// The tiles along one axis, before any has more than one window along it. The ratio of the sizes tells how
// many cells a window has, if windows do not overlap.
struct AxisSize {
  std::int64_t pooled;
  std::int64_t unpooled;
  std::int64_t windows = 1;

  std::int64_t cells_per_window() const {
    return std::max<std::int64_t>((2 * unpooled + pooled) / (2 * pooled), 1);
  }
  std::int64_t cells() const { return std::min(windows * cells_per_window(), unpooled); }
  std::int64_t tiles() const { return std::max(divide_up(unpooled, cells()), divide_up(pooled, windows)); }
  // As many windows as the room allows, in packs where there is a choice.
  void grow(std::int64_t room) {
    windows = std::clamp<std::int64_t>(room / cells_per_window(), 1, pooled);
    if (windows < pooled && windows > kWindows) windows -= windows % kWindows;
    if (windows * cells_per_window() < unpooled && windows == pooled && room >= unpooled)
      windows = divide_up(unpooled, cells_per_window());
  }
};

template <typename Coord>
TileAxis<Coord> tile_axis(std::int64_t pooled, std::int64_t unpooled, std::int64_t windows,
                          std::int64_t cells) {
  return {static_cast<Coord>(pooled), static_cast<Coord>(unpooled), static_cast<Coord>(windows),
          static_cast<Coord>(cells)};
}

template <typename Coord>
class TilePlanner {
 public:
  TilePlanner(const Plan& plan, int element, int index_bytes, const cuda::CudaLaunch& launch)
      : given_(plan), slot_bytes_(std::max(element, 2)), launch_(launch) {
    plan_.self = plan.self.data;
    plan_.indices = plan.indices.data;
    plan_.out = plan.out.data;
    plan_.self_strides = strides_of(plan.self);
    plan_.index_strides = strides_of(plan.indices);
    plan_.plane_size = static_cast<Coord>(plan.unpooled.count());
    plan_.pooled_size = static_cast<Coord>(plan.pooled.count());
    plan_.index_limit = static_cast<std::uint64_t>(plan.unpooled.count());
    if (index_bytes == 4)
      plan_.index_limit = std::min<std::uint64_t>(plan_.index_limit, std::uint64_t{1} << 31);
    plan_.planes = plan.n * plan.c;
    plan_.planes_per_tile = 1;
    plan_.by_c = cuda::Divider<std::uint64_t>(plan.c);
    plan_.cells_h = typename TilePlan<Coord>::Divider(plan.unpooled.h);
    plan_.cells_w = typename TilePlan<Coord>::Divider(plan.unpooled.w);
    plan_.faults = cuda::fault_sink(launch);
    out_in_packs_ = cuda::in_packs(plan.out.data, element, pack(), {});
  }

  // Planes that fit into a block's memory, several where they are small and many.
  std::optional<TilePlan<Coord>> planes() {
    const std::int64_t plane = given_.unpooled.count();
    if (plane > kMostBytes / slot_bytes_) return std::nullopt;
    const std::int64_t enough = plan_.planes / (8 * std::int64_t{launch_.multiprocessors});
    const std::int64_t most = std::min(room() / plane, (1 << 29) / given_.pooled.count());
    plan_.planes_per_tile = std::clamp<std::int64_t>(enough, 1, std::max<std::int64_t>(most, 1));
    plan_.tiling = Tiling::kPlanes;
    whole_planes(plane);
    plan_.slots = round_up(plane * plan_.planes_per_tile);
    plan_.packs = out_in_packs_ && plane * plan_.planes_per_tile % pack() == 0;
    plan_.items = divide_up(plan_.planes, plan_.planes_per_tile);
    return plan_;
  }

  std::optional<TilePlan<Coord>> boxes() {
    AxisSize d{given_.pooled.d, given_.unpooled.d};
    AxisSize h{given_.pooled.h, given_.unpooled.h};
    AxisSize w{given_.pooled.w, given_.unpooled.w};
    if (d.cells() * h.cells() * w.cells() > room()) return std::nullopt;
    w.grow(room() / (d.cells() * h.cells()));
    if (w.cells() == w.unpooled) h.grow(room() / (d.cells() * w.cells()));
    if (w.cells() == w.unpooled && h.cells() == h.unpooled) d.grow(room() / (h.cells() * w.cells()));
    plan_.tiling = Tiling::kBoxes;
    set_axes(tile_axis<Coord>(d.pooled, d.unpooled, d.windows, d.cells()),
             tile_axis<Coord>(h.pooled, h.unpooled, h.windows, h.cells()),
             tile_axis<Coord>(w.pooled, w.unpooled, w.windows, w.cells()));
    set_tiles(d.tiles(), h.tiles(), w.tiles());
    plan_.slots = round_up(d.cells() * h.cells() * w.cells());
    plan_.packs = out_in_packs_ && w.unpooled % pack() == 0 && w.cells() % pack() == 0;
    return plan_;
  }

  TilePlan<Coord> runs() {
    const std::int64_t plane = given_.unpooled.count();
    const std::int64_t cells = std::min(kMostBytes / slot_bytes_, plane);
    plan_.tiling = Tiling::kRuns;
    whole_planes(cells);
    set_tiles(1, 1, divide_up(plane, cells));
    plan_.slots = round_up(cells);
    plan_.packs = out_in_packs_ && plane % pack() == 0;
    return plan_;
  }

  // True when looking at every window for each run costs little beside writing the runs.
  bool has_few_windows() const {
    const std::int64_t runs = divide_up(given_.unpooled.count(), kMostBytes / slot_bytes_);
    return runs * given_.pooled.count() <= given_.unpooled.count() / 8;
  }

  // Self and indices follow each other as the program sees them.
  bool is_dense(const View5& view, int element) const {
    const Size3& size = given_.pooled;
    const View5 v = counted_strides(view, given_.n, given_.c, size);
    return (size.w == 1 || v.w == 1) && (size.h == 1 || v.h == size.w) &&
           (size.d == 1 || v.d == size.h * size.w) && (given_.c == 1 || v.c == size.count()) &&
           (given_.n == 1 || v.n == given_.c * size.count()) &&
           cuda::in_packs(view.data, element, kWindows, {});
  }

 private:
  std::int64_t room() const { return std::min(kTileSlots, kTileBytes / slot_bytes_); }
  std::int64_t pack() const { return 16 / slot_bytes_; }
  Coord round_up(std::int64_t slots) const { return static_cast<Coord>(divide_up(slots, pack()) * pack()); }

  void set_axes(const TileAxis<Coord>& d, const TileAxis<Coord>& h, const TileAxis<Coord>& w) {
    using Divider = typename TilePlan<Coord>::Divider;
    plan_.d = d;
    plan_.h = h;
    plan_.w = w;
    plan_.windows_d = Divider(d.windows);
    plan_.windows_h = Divider(h.windows);
    plan_.windows_w = Divider(w.windows);
  }
  void set_tiles(std::int64_t d, std::int64_t h, std::int64_t w) {
    plan_.tiles_d = cuda::Divider<std::uint64_t>(d);
    plan_.tiles_h = cuda::Divider<std::uint64_t>(h);
    plan_.tiles_w = cuda::Divider<std::uint64_t>(w);
    plan_.items = plan_.planes * d * h * w;
  }
  // All windows of a plane belong to each of its tiles, which are cut from one row of all cells.
  void whole_planes(std::int64_t cells) {
    const Size3& p = given_.pooled;
    set_axes(tile_axis<Coord>(p.d, 1, p.d, 1), tile_axis<Coord>(p.h, 1, p.h, 1),
             tile_axis<Coord>(p.w, given_.unpooled.count(), p.w, cells));
  }

  const Plan& given_;
  std::int64_t slot_bytes_;
  const cuda::CudaLaunch& launch_;
  bool out_in_packs_;
  TilePlan<Coord> plan_{};
};

template <typename T, typename Coord>
cudaError_t start(void (*kernel)(TilePlan<Coord>), const TilePlan<Coord>& plan, std::int64_t most_blocks,
                  const cuda::CudaLaunch& launch) {
  return cuda::start_kernel(kernel, plan, std::min(plan.items, most_blocks), kThreads,
                            static_cast<std::size_t>(plan.slots) * sizeof(Slot<T>), launch.stream);
}

template <typename T, typename Index, typename Coord>
cudaError_t start_tiles(const TilePlan<Coord>& plan, bool dense, std::int64_t most_blocks,
                        const cuda::CudaLaunch& launch) {
  if constexpr (sizeof(Coord) == 4) {
    const bool rows = plan.w.pooled % kWindows == 0 && plan.w.windows % kWindows == 0;
    if (dense && rows) return start<T>(unpool_tiles<T, Index, true, Coord>, plan, most_blocks, launch);
  }
  return start<T>(unpool_tiles<T, Index, false, Coord>, plan, most_blocks, launch);
}

// Boxes of whole rows, as many windows as a block takes at once.
struct BoxSize {
  std::int64_t deep, high, wide;  // cells of a window
  std::int64_t window_slabs, window_rows;
  std::int64_t slabs, rows;  // of cells
  bool whole_slabs;

  // Where the next of a thread's windows has its cells, seen from those of the one before: whole rows or
  // whole slabs further; 0 where that differs, or where some windows have fewer cells than others.
  std::int64_t step(const Size3& pooled, const Size3& cells) const {
    if (wide * pooled.w > cells.w || high * window_rows > rows) return 0;
    const std::int64_t group = window_slabs > 1 ? pooled.h * pooled.w : pooled.w;
    if (kThreads % group != 0) return 0;
    return kThreads / group * (window_slabs > 1 ? deep * rows : high) * cells.w;
  }
};

std::optional<BoxSize> box_size(const Size3& pooled, const Size3& cells, std::int64_t room) {
  BoxSize size{};
  size.deep = AxisSize{pooled.d, cells.d}.cells_per_window();
  size.high = AxisSize{pooled.h, cells.h}.cells_per_window();
  size.wide = AxisSize{pooled.w, cells.w}.cells_per_window();
  const std::int64_t least = size.deep * size.high * cells.w;
  if (size.deep > 2 || pooled.w > kChunk || least > room) return std::nullopt;
  size.window_rows = std::min({room / least, kChunk / pooled.w, divide_up(cells.h, size.high)});
  size.rows = std::min(size.window_rows * size.high, cells.h);
  size.whole_slabs = size.rows == cells.h && size.window_rows >= pooled.h;
  size.window_slabs = 1;
  if (size.whole_slabs) {
    const std::int64_t most =
        std::min(room / (size.deep * cells.h * cells.w), kChunk / (pooled.h * pooled.w));
    size.window_slabs = std::clamp<std::int64_t>(most, 1, divide_up(cells.d, size.deep));
  }
  size.slabs = std::min(size.window_slabs * size.deep, cells.d);
  return size;
}

// Nothing where boxes do not fit, or their rows do not lie in packs. `dense`: self and indices have no gaps.
template <typename T, typename Index>
std::optional<cudaError_t> launch_boxes(const Plan& plan, bool dense, const cuda::CudaLaunch& launch) {
  constexpr std::int64_t kRoom = std::min<std::int64_t>(kTileSlots, kTileBytes / sizeof(Slot<T>));
  const Size3& pooled = plan.pooled;
  const Size3& cells = plan.unpooled;
  const std::optional<BoxSize> size = box_size(pooled, cells, kRoom);
  if (!size || !dense || !cuda::in_packs(plan.out.data, sizeof(T), 16 / sizeof(Slot<T>), {cells.w}))
    return std::nullopt;
  const std::int64_t boxes_d =
      std::max(divide_up(cells.d, size->slabs), divide_up(pooled.d, size->window_slabs));
  const std::int64_t boxes_h =
      std::max(divide_up(cells.h, size->rows), divide_up(pooled.h, size->window_rows));
  const std::int64_t boxes = plan.n * plan.c * boxes_d * boxes_h;
  if (boxes > INT32_MAX) return std::nullopt;
  const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
  const BoxPlan result{.self = plan.self.data,
                       .indices = plan.indices.data,
                       .out = plan.out.data,
                       .slabs = narrow(size->slabs),
                       .rows = narrow(size->rows),
                       .window_slabs = narrow(size->window_slabs),
                       .window_rows = narrow(size->window_rows),
                       .whole_slabs = size->whole_slabs,
                       .depth = narrow(cells.d),
                       .height = narrow(cells.h),
                       .row_cells = narrow(cells.w),
                       .slab_cells = narrow(cells.h * cells.w),
                       .plane_size = narrow(cells.count()),
                       .pooled_d = narrow(pooled.d),
                       .pooled_h = narrow(pooled.h),
                       .pooled_w = narrow(pooled.w),
                       .pooled_size = narrow(pooled.count()),
                       .own_w = narrow(size->wide),
                       .own_row = narrow(size->high * cells.w),
                       .own_slab = narrow(size->deep * size->rows * cells.w),
                       .second_row = size->high > 1 ? static_cast<unsigned>(cells.w) : 0U,
                       .second_slab = size->deep > 1 ? static_cast<unsigned>(size->rows * cells.w) : 0U,
                       .own_step = narrow(size->step(pooled, cells)),
                       .boxes_d = cuda::Divider<std::uint32_t>(boxes_d),
                       .boxes_h = cuda::Divider<std::uint32_t>(boxes_h),
                       .by_window_w = cuda::Divider<std::uint32_t>(pooled.w),
                       .by_window_h = cuda::Divider<std::uint32_t>(pooled.h),
                       .slots = narrow(size->slabs * size->rows * cells.w),
                       .halves = !cuda::in_packs(plan.out.data, sizeof(T), 16 / sizeof(T), {cells.w}),
                       .faults = cuda::fault_sink(launch)};
  return cuda::start_kernel(unpool_boxes<T, Index>, result, boxes, kThreads,
                            divide_up(result.slots * sizeof(Slot<T>), 32) * 32, launch.stream);
}

template <typename T, typename Index, typename Coord>
cudaError_t launch_sized(const Plan& plan, const cuda::CudaLaunch& launch) {
  TilePlanner<Coord> planner(plan, sizeof(T), sizeof(Index), launch);
  const bool dense = planner.is_dense(plan.self, sizeof(T)) && planner.is_dense(plan.indices, sizeof(Index));
  if (const auto planes = planner.planes()) return start_tiles<T, Index>(*planes, dense, INT32_MAX, launch);
  std::optional<cudaError_t> boxed;
  if (!planner.has_few_windows()) {
    if (sizeof(Coord) == 4) boxed = launch_boxes<T, Index>(plan, dense, launch);
    if (!boxed)
      if (const auto boxes = planner.boxes()) boxed = start_tiles<T, Index>(*boxes, dense, INT32_MAX, launch);
  }
  if (boxed && *boxed != cudaSuccess) return *boxed;
  TilePlan<Coord> runs = planner.runs();
  runs.repairs = boxed.has_value();
  return start_tiles<T, Index>(runs, dense, runs.repairs ? 4 * launch.multiprocessors : INT32_MAX, launch);
}

template <typename T, typename Index>
cudaError_t launch_typed(const Plan& plan, const cuda::CudaLaunch& launch) {
  constexpr std::int64_t kMost = 1 << 29;
  const bool small = plan.pooled.count() < kMost && plan.unpooled.count() < kMost;
  return small ? launch_sized<T, Index, int>(plan, launch)
               : launch_sized<T, Index, std::int64_t>(plan, launch);
}

template <typename T>
cudaError_t launch_indexed(const Plan& plan, const cuda::CudaLaunch& launch) {
  if (plan.index_type == DataType::kInt32) return launch_typed<T, std::int32_t>(plan, launch);
  return launch_typed<T, std::int64_t>(plan, launch);
}

cudaError_t launch(const Plan& plan, const cuda::CudaLaunch& launch) {
  const std::int64_t cells = plan.n * plan.c * plan.unpooled.count();
  if (cells == 0) return cudaSuccess;
  if (plan.pooled.count() == 0) {
    const auto bytes = static_cast<std::size_t>(cells) * static_cast<std::size_t>(size_of(plan.type));
    return cudaMemsetAsync(plan.out.data, 0, bytes, launch.stream);
  }
  switch (size_of(plan.type)) {
    case 1:
      return launch_indexed<std::uint8_t>(plan, launch);
    case 2:
      return launch_indexed<std::uint16_t>(plan, launch);
    case 4:
      return launch_indexed<std::uint32_t>(plan, launch);
    case 8:
      return launch_indexed<std::uint64_t>(plan, launch);
    default:
      return cudaErrorInvalidValue;
  }
}

constexpr std::array kCandidates = {candidate<nothing<Plan>, launch>("all")};

}  // namespace

constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;

}  // namespace cairn::max_unpool
