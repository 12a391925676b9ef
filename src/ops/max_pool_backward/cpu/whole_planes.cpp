#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "backend/kernel.h"
#include "hwy/cache_control.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/flat_places.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/rows.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/cpu/add_windows.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/fault_finder.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/cpu/plane_list.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward::whole_planes {
namespace {

// Cells of small planes that are taken together.
constexpr std::int64_t kCellsTogether = 4096;
// Windows of a plane that are staged at a time.
constexpr std::int64_t kWindows = 1024;

// Planes of gradInput without gaps that are transposed.
bool is_transposed(const Plan& p) {
  const View5& view = p.grad_input;
  const std::int64_t cells = p.in.count();
  const MergedPlane plane = merge_in_memory_order(p.in, view);
  return cells > 1 && !is_dense(view, p.in) && plane.is_one_run() && plane.stride_w == 1 &&
         (p.c == 1 || view.c == cells) && (p.n == 1 || view.n == p.c * cells);
}

// FLOAT and DOUBLE are summed where they belong, unless they are written past the cache.
bool sums_in_place(const Plan& p) {
  return (p.type == DataType::kFloat || p.type == DataType::kDouble) && !writes_past_cache(p) &&
         (is_dense(p.grad_input, p.n, p.c, p.in) || is_transposed(p));
}

// How many planes a thread takes at a time.
struct Together {
  std::int64_t planes;
  bool by_turns;

  explicit Together(const Plan& p) {
    constexpr std::int64_t kTurns = 4;
    const std::int64_t larger = std::max({p.in.count(), p.out.count(), std::int64_t{1}});
    const std::int64_t most = sums_in_place(p) ? 16 * kCellsTogether : 2 * kCellsTogether;
    const WindowAxes axes(p);
    planes = std::max<std::int64_t>(kCellsTogether / larger, 1);
    // Memory is read best in order, so not of tensors past the cache.
    by_turns = !writes_past_cache(p) && p.out.count() >= 32 && kTurns * larger <= most &&
               axes.w.extent > axes.w.stride;
    if (by_turns) planes = std::max(planes / kTurns, std::int64_t{1}) * kTurns;
  }
};

template <typename Sum>
struct Scratch {
  std::vector<Sum> sums;
  std::vector<Sum> gradients;
  std::vector<std::int64_t> indices;
};

template <typename T, typename Index>
class Adder {
 public:
  using Sum = SumOf<T>;

  Adder(const Plan& plan, Scratch<Sum>& scratch, FirstFault& faults)
      : p_(plan),
        cells_(plan.in.count()),
        windows_(plan.out.count()),
        step_(std::min(windows_, kWindows)),
        in_place_(sums_in_place(plan)),
        transposed_(in_place_ && is_transposed(plan)),
        streaming_(writes_past_cache(plan)),
        together_(plan),
        scratch_(scratch),
        faults_(faults),
        indices_(plan.indices, plan.n, plan.c, plan.out),
        gradients_(plan.grad_output, plan.n, plan.c, plan.out),
        out_(plan.grad_input, plan.n, plan.c, plan.in),
        places_(merge_plane(plan.in, plan.grad_input)) {
    const auto reserve = [](auto& buffer, std::int64_t count) {
      if (static_cast<std::int64_t>(buffer.size()) < count) buffer.resize(static_cast<std::size_t>(count));
    };
    if (!in_place_) reserve(scratch.sums, together_.planes * cells_);
    if (!reads_in_place()) reserve(scratch.gradients, together_.planes * step_);
    if (stages_indices()) reserve(scratch.indices, together_.planes * step_);
  }

  // Planes [begin, end).
  void run(std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; plane += together_.planes) {
      add_planes(plane, std::min(together_.planes, end - plane));
    }
    if (streaming_) hwy::FlushStream();
  }

 private:
  bool stages_indices() const { return transposed_ || !indices_.side_by_side(); }
  bool reads_in_place() const { return std::is_same_v<T, Sum> && gradients_.side_by_side(); }

  void add_planes(std::int64_t plane, std::int64_t planes) {
    Sum* sums = scratch_.sums.data();
    if constexpr (std::is_same_v<T, Sum>) {
      if (in_place_) sums = out_[plane];
    }
    bool finite = true;
    if (cells_ > 0) std::memset(sums, 0, static_cast<std::size_t>(planes * cells_) * sizeof(Sum));
    for (std::int64_t window = 0; window < windows_; window += step_) {
      const Windows<Sum, Index> windows = stage(plane, planes, {window, std::min(window + step_, windows_)});
      if (add(sums, windows)) find_faults(windows, plane, window);
      if (in_place_) finite = finite && are_finite(windows);
    }
    if constexpr (std::is_same_v<T, Sum>) {
      if (in_place_) {
        if (!finite) narrow_row(sums, sums, 1, planes * cells_);
        return;
      }
    }
    write(sums, plane, planes);
  }

  Windows<Sum, Index> stage(std::int64_t plane, std::int64_t planes, Span windows) {
    Windows<Sum, Index> staged{nullptr, nullptr, windows_, windows_, windows.size(), planes};
    if (!stages_indices()) {
      staged.indices = indices_[plane] + windows.begin;
    } else {
      auto* to = reinterpret_cast<Index*>(scratch_.indices.data());
      staged.indices = to;
      staged.index_pitch = staged.count;
      for (std::int64_t i = 0; i < planes; ++i) {
        indices_.for_each_run(plane + i, windows,
                              [&](const Index* from, std::int64_t stride, std::int64_t count) {
                                stage_indices(from, stride, count, to);
                                to += count;
                              });
      }
    }
    stage_gradients(plane, windows, staged);
    return staged;
  }

  // In a transposed plane an index becomes that of the cell in memory. One outside the plane stays what it
  // is.
  void stage_indices(const Index* from, std::int64_t stride, std::int64_t count, Index* to) const {
    if (!transposed_) {
      for (std::int64_t k = 0; k < count; ++k) to[k] = from[k * stride];
      return;
    }
    for (std::int64_t k = 0; k < count; ++k) {
      const Index index = from[k * stride];
      const auto cell = static_cast<std::uint64_t>(std::int64_t{index});
      to[k] = cell < static_cast<std::uint64_t>(cells_) ? static_cast<Index>(places_.offset(cell)) : index;
    }
  }

  void stage_gradients(std::int64_t plane, Span windows, Windows<Sum, Index>& staged) {
    if constexpr (std::is_same_v<T, Sum>) {
      if (gradients_.side_by_side()) {
        staged.gradients = gradients_[plane] + windows.begin;
        return;
      }
    }
    Sum* to = scratch_.gradients.data();
    staged.gradients = to;
    staged.gradient_pitch = staged.count;
    if (gradients_.side_by_side() && staged.count == windows_) {
      return widen_row(gradients_[plane], 1, to, staged.planes * windows_);
    }
    for (std::int64_t i = 0; i < staged.planes; ++i) {
      gradients_.for_each_run(plane + i, windows,
                              [&](const T* from, std::int64_t stride, std::int64_t count) {
                                widen_row(from, stride, to, count);
                                to += count;
                              });
    }
  }

  // True if there is a fault.
  bool add(Sum* sums, const Windows<Sum, Index>& windows) const {
    const auto cells = static_cast<std::uint64_t>(cells_);
    bool fault = false;
    std::int64_t plane = 0;
    if (together_.by_turns) {
      for (; plane + 4 <= windows.planes; plane += 4) {
        fault |= add_by_turns(sums + plane * cells_, cells, windows.from_plane(plane));
      }
    }
    const Windows<Sum, Index> rest = windows.from_plane(plane);
    sums += plane * cells_;
    return fault |
           (rest.count == 1 ? add_in_order<1>(sums, cells, rest) : add_in_order<0>(sums, cells, rest));
  }

  HWY_NOINLINE void find_faults(const Windows<Sum, Index>& windows, std::int64_t plane, std::int64_t window) {
    for (std::int64_t i = 0; i < windows.planes; ++i) {
      FaultFinder find_fault(p_, {(plane + i) / p_.c, (plane + i) % p_.c, 1}, faults_);
      const Index* indices = windows.from_plane(i).indices;
      for (std::int64_t k = 0; k < windows.count; ++k) find_fault(indices[k], window + k, 0);
    }
  }

  static bool are_finite(const Windows<Sum, Index>& windows) {
    if (windows.count == windows.gradient_pitch) {
      return all_finite(windows.gradients, windows.planes * windows.count);
    }
    bool finite = true;
    for (std::int64_t i = 0; i < windows.planes; ++i) {
      finite = finite && all_finite(windows.from_plane(i).gradients, windows.count);
    }
    return finite;
  }

  void write(const Sum* sums, std::int64_t plane, std::int64_t planes) const {
    const auto write_run = [&](T* to, std::int64_t stride, std::int64_t count) {
      streaming_&& stride == 1 ? stream_row(sums, to, count) : narrow_row(sums, to, stride, count);
      sums += count;
    };
    if (out_.side_by_side()) return write_run(out_[plane], 1, planes * cells_);
    for (std::int64_t i = 0; i < planes; ++i) out_.for_each_run(plane + i, {0, cells_}, write_run);
  }

  const Plan& p_;
  const std::int64_t cells_;
  const std::int64_t windows_;
  const std::int64_t step_;
  const bool in_place_;
  const bool transposed_;
  const bool streaming_;
  const Together together_;
  Scratch<Sum>& scratch_;
  FirstFault& faults_;
  const PlaneList<const Index> indices_;
  const PlaneList<const T> gradients_;
  const PlaneList<T> out_;
  const RowPlaces places_;  // of cells in gradInput
};

}  // namespace

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_indices(p)) return reason;
  // Fewer planes do not keep many threads busy, if there is work for more than one. Transposed ones are a
  // tenth to a fourth of the work here.
  constexpr std::int64_t kFewestPlanes = 8;
  const auto by_channel = [&](const View5& view, const Size3& size) {
    return p.c > 1 && view.c == 1 && size.count() > 1;
  };
  const std::int64_t planes = p.n * p.c;
  if (planes < kFewestPlanes && planes * (p.in.count() + p.out.count()) > kTaskElements &&
      !(sums_in_place(p) && is_transposed(p)))
    return "planes are few and large";
  if (!sums_in_place(p) && p.in.count() > kCellsTogether) return "the sums of a plane do not fit the cache";
  if (writes_past_cache(p) && p.in.count() > 1024 && 2 * p.out.count() > p.in.count())
    return "windows are many, and come from memory: scatter prefetches them";
  if (by_channel(p.grad_output, p.out) || by_channel(p.indices, p.out) || by_channel(p.grad_input, p.in))
    return "planes lie in each other, channel by channel";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const Units planes{.count = plan.n * plan.c, .elements = plan.in.count() + plan.out.count()};
  FirstFault faults;
  with_real_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() {
    for_each_range(workers, planes, [&](std::int64_t begin, std::int64_t end) {
      const OfThread<Scratch<SumOf<T>>> scratch;
      Adder<T, Index>(plan, *scratch, faults).run(begin, end);
    });
  });
  return faults.get();
}

}  // namespace cairn::max_pool_backward::whole_planes
