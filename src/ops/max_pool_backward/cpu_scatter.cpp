#include "ops/max_pool_backward/cpu_scatter.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "ops/kernel/rows.h"
#include "ops/kernel/split.h"
#include "ops/max_pool_backward/cpu_geometry.h"

namespace cairn::max_pool_backward {
namespace {

// Sums of one box stay in the second-level cache.
constexpr std::int64_t kBoxCells = std::int64_t{1} << 16;
// A plane with stray indices is walked once for every box of it, so its boxes are large.
constexpr std::int64_t kStrayBoxCells = std::int64_t{1} << 22;
// Less than this much work is not worth a task.
constexpr std::int64_t kTaskElements = std::int64_t{1} << 14;

// Cells of a plane that follow each other in flat order: whole slices, whole rows of a slice, or part of a
// row.
struct Box {
  Span d;
  Span h;
  Span w;
  std::int64_t begin;  // flat position of the first cell
  std::int64_t cells() const { return d.size() * h.size() * w.size(); }
};

class Boxes {
 public:
  Boxes(Size3 in, std::int64_t most_cells)
      : in_(in),
        w_(std::clamp<std::int64_t>(most_cells, 1, std::max<std::int64_t>(in.w, 1))),
        h_(w_ < in.w ? 1 : std::clamp<std::int64_t>(most_cells / w_, 1, std::max<std::int64_t>(in.h, 1))),
        d_(h_ < in.h ? 1
                     : std::clamp<std::int64_t>(most_cells / (w_ * h_), 1, std::max<std::int64_t>(in.d, 1))),
        per_row_(pieces(in.w, w_)),
        per_slice_(pieces(in.h, h_) * per_row_) {}

  // An empty plane still has one (empty) box: its windows may hold faults.
  std::int64_t count() const { return std::max<std::int64_t>(pieces(in_.d, d_) * per_slice_, 1); }
  std::int64_t cells() const { return d_ * h_ * w_; }

  Box operator[](std::int64_t i) const {
    if (in_.count() == 0) return {{0, 0}, {0, 0}, {0, 0}, 0};
    const std::int64_t d = i / per_slice_ * d_;
    const std::int64_t h = i % per_slice_ / per_row_ * h_;
    const std::int64_t w = i % per_row_ * w_;
    return {{d, std::min(d + d_, in_.d)},
            {h, std::min(h + h_, in_.h)},
            {w, std::min(w + w_, in_.w)},
            (d * in_.h + h) * in_.w + w};
  }

 private:
  static std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

  Size3 in_;
  std::int64_t w_;
  std::int64_t h_;
  std::int64_t d_;
  std::int64_t per_row_;
  std::int64_t per_slice_;
};

class FirstFault {
 public:
  void offer(const IndexFault& fault) {
    const std::scoped_lock lock(mutex_);
    if (!first_ || fault.position < first_->position) first_ = fault;
  }
  std::optional<IndexFault> get() const { return first_; }

 private:
  std::mutex mutex_;
  std::optional<IndexFault> first_;
};

std::int64_t flat_position(const Plan& p, std::int64_t plane, std::int64_t od, std::int64_t oh,
                           std::int64_t ow) {
  const std::int64_t window = (od * p.out.h + oh) * p.out.w + ow;
  if (!p.channels_last) return plane * p.out.count() + window;
  return (plane / p.c * p.out.count() + window) * p.c + plane % p.c;
}

template <typename T>
T* plane_of(const Plan& p, const View5& view, std::int64_t plane) {
  return static_cast<T*>(view.data) + plane / p.c * view.n + plane % p.c * view.c;
}

// What one thread needs for a box; kept between calls unless it is large.
struct Scratch {
  std::vector<float> sums;
  std::vector<float> gradients;

  void prepare(std::int64_t cells, std::int64_t row) {
    sums.assign(static_cast<std::size_t>(cells), 0.0f);
    gradients.resize(static_cast<std::size_t>(row));
  }
};

// A scratch that outgrew a box is not worth keeping in every thread.
template <typename Body>
void with_scratch(const Body& body) {
  static thread_local Scratch scratch;
  body(scratch);
  if (scratch.sums.capacity() > 4 * kBoxCells || scratch.gradients.capacity() > 4 * kBoxCells) scratch = {};
}

template <typename T, typename Index>
class Scatter {
 public:
  explicit Scatter(const Plan& plan) : p_(plan), axes_(plan) {}

  // Every window of the plane; the fault is looked for in the first box alone.
  void whole(std::int64_t plane, const Box& box, Scratch& scratch, FirstFault& faults) const {
    scratch.prepare(box.cells(), p_.out.w);
    const auto in_plane = static_cast<std::uint64_t>(p_.in.count());
    bool look_for_fault = box.begin == 0;
    for (std::int64_t od = 0; od < p_.out.d; ++od) {
      for (std::int64_t oh = 0; oh < p_.out.h; ++oh) {
        const Index* indices = row(p_.indices, indices_of(plane), od, oh);
        add_row(plane, box, od, oh, {0, p_.out.w}, scratch, [&](std::int64_t ow) {
          const std::int64_t index = indices[ow * p_.indices.w];
          if (!look_for_fault || index == -1 || static_cast<std::uint64_t>(index) < in_plane) return;
          look_for_fault = false;
          faults.offer({flat_position(p_, plane, od, oh, ow), index, p_.in.count()});
        });
      }
    }
    store(plane, box, scratch.sums.data());
  }

  // The windows that can reach the box. Returns how many gradients found their cell or have none (index -1).
  std::int64_t reachable(std::int64_t plane, const Box& box, Scratch& scratch) const {
    scratch.prepare(box.cells(), p_.out.w);
    std::int64_t settled = 0;
    const Span od_range = axes_.d.windows(box.d);
    const Span oh_range = axes_.h.windows(box.h);
    const Span ow_range = axes_.w.windows(box.w);
    for (std::int64_t od = od_range.begin; od < od_range.end; ++od) {
      for (std::int64_t oh = oh_range.begin; oh < oh_range.end; ++oh) {
        // Several boxes see a window; the one that holds its first row counts its missing source.
        const bool owner = in(box.d, axes_.d.cells(od).begin) && in(box.h, axes_.h.cells(oh).begin);
        const Index* indices = row(p_.indices, indices_of(plane), od, oh);
        std::int64_t without_source = 0;
        settled += add_row(plane, box, od, oh, ow_range, scratch, [&](std::int64_t ow) {
          if (owner && indices[ow * p_.indices.w] == -1) without_source += in(box.w, axes_.w.cells(ow).begin);
        });
        settled += without_source;
      }
    }
    store(plane, box, scratch.sums.data());
    return settled;
  }

 private:
  static bool in(Span span, std::int64_t i) { return span.begin <= i && i < span.end; }

  const Index* indices_of(std::int64_t plane) const { return plane_of<const Index>(p_, p_.indices, plane); }

  template <typename E>
  static E* row(const View5& view, E* plane, std::int64_t d, std::int64_t h) {
    return plane + d * view.d + h * view.h;
  }

  template <typename Outside>
  std::int64_t add_row(std::int64_t plane, const Box& box, std::int64_t od, std::int64_t oh, Span ow_range,
                       Scratch& scratch, const Outside& outside) const {
    const std::int64_t count = ow_range.size();
    if (count == 0) return 0;
    const Index* indices = row(p_.indices, indices_of(plane), od, oh) + ow_range.begin * p_.indices.w;
    widen_row(row(p_.grad_output, plane_of<const T>(p_, p_.grad_output, plane), od, oh) +
                  ow_range.begin * p_.grad_output.w,
              p_.grad_output.w, scratch.gradients.data(), count);
    float* sums = scratch.sums.data();
    const auto begin = static_cast<std::uint64_t>(box.begin);
    const auto cells = static_cast<std::uint64_t>(scratch.sums.size());
    std::int64_t added = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t index = indices[i * p_.indices.w];
      const std::uint64_t cell = static_cast<std::uint64_t>(index) - begin;
      if (cell < cells) {
        sums[cell] += scratch.gradients[static_cast<std::size_t>(i)];
        ++added;
      } else {
        outside(ow_range.begin + i);
      }
    }
    return added;
  }

  void store(std::int64_t plane, const Box& box, const float* sums) const {
    T* out = plane_of<T>(p_, p_.grad_input, plane);
    for (std::int64_t d = box.d.begin; d < box.d.end; ++d) {
      for (std::int64_t h = box.h.begin; h < box.h.end; ++h) {
        narrow_row(sums, row(p_.grad_input, out, d, h) + box.w.begin * p_.grad_input.w, p_.grad_input.w,
                   box.w.size());
        sums += box.w.size();
      }
    }
  }

  const Plan& p_;
  Axes axes_;
};

// The one place where element types are chosen.
template <typename Body>
auto with_types(const Plan& plan, const Body& body) {
  const auto with_index = [&]<typename T>() {
    return plan.index_type == DataType::kInt32 ? body(Scatter<T, std::int32_t>(plan))
                                               : body(Scatter<T, std::int64_t>(plan));
  };
  if (plan.type == DataType::kFloat) return with_index.template operator()<float>();
  if (plan.type == DataType::kFloat16) return with_index.template operator()<Float16>();
  return with_index.template operator()<Bfloat16>();
}

// Boxes that make up one task's worth of work.
std::int64_t boxes_per_task(const Plan& plan, const Boxes& boxes) {
  return std::max<std::int64_t>(kTaskElements / (boxes.cells() + plan.out.count() / boxes.count() + 1), 1);
}

}  // namespace

std::optional<IndexFault> scatter_planes(const Plan& plan, const std::vector<std::int64_t>& planes,
                                         Workers& workers) {
  FirstFault faults;
  const Boxes boxes(plan.in, kStrayBoxCells);
  with_types(plan, [&](const auto& scatter) {
    const auto total = static_cast<std::int64_t>(planes.size()) * boxes.count();
    for_each_range(workers, total, boxes_per_task(plan, boxes), 1, [&](std::int64_t begin, std::int64_t end) {
      with_scratch([&](Scratch& scratch) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t plane = planes[static_cast<std::size_t>(i / boxes.count())];
          scatter.whole(plane, boxes[i % boxes.count()], scratch, faults);
        }
      });
    });
  });
  return faults.get();
}

std::vector<std::int64_t> scatter_by_geometry(const Plan& plan, Workers& workers) {
  const Boxes boxes(plan.in, kBoxCells);
  const std::int64_t planes = plan.n * plan.c;
  const auto settled = std::make_unique<std::atomic<std::int64_t>[]>(static_cast<std::size_t>(planes));
  with_types(plan, [&](const auto& scatter) {
    for_each_range(workers, planes * boxes.count(), boxes_per_task(plan, boxes), 1,
                   [&](std::int64_t begin, std::int64_t end) {
                     with_scratch([&](Scratch& scratch) {
                       for (std::int64_t i = begin; i < end; ++i) {
                         const std::int64_t plane = i / boxes.count();
                         settled[static_cast<std::size_t>(plane)].fetch_add(
                             scatter.reachable(plane, boxes[i % boxes.count()], scratch),
                             std::memory_order_relaxed);
                       }
                     });
                   });
  });
  std::vector<std::int64_t> unsettled;
  for (std::int64_t plane = 0; plane < planes; ++plane) {
    const std::int64_t count = settled[static_cast<std::size_t>(plane)].load(std::memory_order_relaxed);
    if (count != plan.out.count()) unsettled.push_back(plane);
  }
  return unsettled;
}

}  // namespace cairn::max_pool_backward
