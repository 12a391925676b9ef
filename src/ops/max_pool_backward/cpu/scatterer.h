#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "backend/kernel.h"
#include "hwy/cache_control.h"
#include "ops/kit/cpu/of_thread.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/rows.h"
#include "ops/kit/cpu/sliding_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/boxes.h"
#include "ops/max_pool_backward/cpu/fault_finder.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward {

// Memory of one thread, kept between calls.
template <typename Sum>
struct Scratch {
  std::vector<Sum> sums;
  std::vector<Sum> gradients;
  std::vector<std::int64_t> indices;
};

// How a window whose index names none of the cells at hand is judged.
// Elsewhere: another box has the cell, or none has.
class Elsewhere {
 public:
  Elsewhere(const Plan& plan, const WindowAxes& axes, const Box& box)
      : p_(plan),
        axes_(axes),
        box_(box),
        is_alone_(box.d.size() == plan.in.d && box.h.size() == plan.in.h && box.w.size() == plan.in.w) {}
  void operator()(std::int64_t index, std::int64_t window, std::int64_t /*channel*/) {
    ++outside_;
    if (index != -1) return;
    if (is_alone_) {
      ++without_source_;
      return;
    }
    // Several boxes see a window; the one that holds its first cell vouches for it.
    const std::int64_t row = window / p_.out.w;
    without_source_ += box_.d.has(axes_.d.cells(row / p_.out.h).begin) &&
                       box_.h.has(axes_.h.cells(row % p_.out.h).begin) &&
                       box_.w.has(axes_.w.cells(window % p_.out.w).begin);
  }
  // Windows that this box cannot vouch for.
  std::int64_t count() const { return outside_ - without_source_; }

 private:
  const Plan& p_;
  const WindowAxes& axes_;
  const Box& box_;
  const bool is_alone_;
  std::int64_t outside_ = 0;
  std::int64_t without_source_ = 0;
};

// Adds each gradient to the cell its index names, window after window. The geometry only tells which windows
// can reach a cell; that an index lies in its own window is found out by counting, never assumed.
template <typename T, typename Index>
class Scatterer {
 public:
  using Sum = SumOf<T>;

  Scatterer(const Plan& plan, bool streaming, Scratch<Sum>& scratch)
      : p_(plan), axes_(plan), scratch_(scratch), sums_(plan.in, plan.grad_input, scratch.sums, streaming) {
    scratch.gradients.resize(static_cast<std::size_t>(std::max(kRun, plan.c)));
    scratch.indices.resize(static_cast<std::size_t>(std::max(kRun, plan.c)));
  }

  // Looks at every window of the group, whether it can reach the box or not.
  void whole(const PlaneGroup& group, const Box& box, FirstFault& faults) {
    group_ = group;
    FaultFinder find_fault(p_, group, faults);
    sums_.start(group, first_cell(box));
    sums_.zero_to(end_cell(box));
    for (std::int64_t od = 0; od < p_.out.d; ++od) {
      add_rows(od, {0, p_.out.h}, {0, p_.out.w}, find_fault);
    }
    sums_.finish(end_cell(box));
  }

  // Looks at the windows that can reach the box. Returns how many gradients are accounted for: added, or
  // without a source.
  std::int64_t reachable(const PlaneGroup& group, const Box& box) {
    group_ = group;
    Elsewhere elsewhere(p_, axes_, box);
    const Span slices = axes_.d.windows(box.d);
    const Span rows = axes_.h.windows(box.h);
    const Span columns = axes_.w.windows(box.w);
    const std::int64_t step = rows_at_a_time();
    sums_.start(group, first_cell(box));
    for (std::int64_t od = slices.begin; od < slices.end; ++od) {
      for (std::int64_t oh = rows.begin; oh < rows.end; oh += step) {
        const Span these{oh, std::min(oh + step, rows.end)};
        sums_.zero_to(reach(box, od, these.end - 1));
        add_rows(od, these, columns, elsewhere);
        sums_.write_to(
            std::min(these.end < rows.end ? first_reached(box, od, these.end) : end_cell(box),
                     od + 1 < slices.end ? first_reached(box, od + 1, rows.begin) : end_cell(box)));
      }
    }
    sums_.finish(end_cell(box));
    return slices.size() * rows.size() * columns.size() * group.channels - elsewhere.count();
  }

 private:
  // Windows staged, and cells zeroed, between two looks at what can be written.
  static constexpr std::int64_t kStep = 512;
  // How far ahead elements are prefetched.
  static constexpr std::int64_t kAhead = 384;
  static constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  // Gradients widened, or indices copied, at a time.
  static constexpr std::int64_t kRun = 1024;

  std::int64_t flat(std::int64_t d, std::int64_t h, std::int64_t w) const {
    return (d * p_.in.h + h) * p_.in.w + w;
  }
  std::int64_t first_cell(const Box& box) const { return flat(box.d.begin, box.h.begin, box.w.begin); }
  std::int64_t end_cell(const Box& box) const {
    return box.w.size() == 0 ? 0 : flat(box.d.end - 1, box.h.end - 1, box.w.end);
  }

  // The first cell of the box that the row of windows can reach, and the one after the last.
  std::int64_t first_reached(const Box& box, std::int64_t od, std::int64_t oh) const {
    return flat(std::max(axes_.d.cells(od).begin, box.d.begin),
                std::max(axes_.h.cells(oh).begin, box.h.begin), box.w.begin);
  }
  std::int64_t reach(const Box& box, std::int64_t od, std::int64_t oh) const {
    return flat(std::min(axes_.d.cells(od).end, box.d.end) - 1,
                std::min(axes_.h.cells(oh).end, box.h.end) - 1, box.w.end);
  }

  // Rows of windows between two looks at what can be written: enough to be worth it, few enough for the
  // cache.
  std::int64_t rows_at_a_time() const {
    const std::int64_t windows = std::max<std::int64_t>(p_.out.w * group_.channels, 1);
    const std::int64_t cells = axes_.h.stride * p_.in.w * group_.channels;
    return std::max<std::int64_t>(std::min(kStep / windows, 4 * kStep / std::max<std::int64_t>(cells, 1)), 1);
  }

  template <typename Outside>
  void add_rows(std::int64_t od, Span rows, Span columns, Outside& outside) {
    const std::int64_t width = p_.out.w;
    const auto dense = [&](const View5& view) {
      return view.w == group_.channels && view.h == width * group_.channels &&
             (group_.channels == 1 || view.c == 1);
    };
    if (columns.size() == width && dense(p_.indices) && dense(p_.grad_output)) {
      return add_run(od, rows.begin, 0, rows.size() * width, outside);
    }
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      for (std::int64_t ow = columns.begin; ow < columns.end;) {
        const std::int64_t count = group_.channels == 1 ? std::min(kRun, columns.end - ow) : 1;
        add_run(od, oh, ow, count, outside);
        ow += count;
      }
    }
  }

  // Windows from (od, oh, ow) on, `count` of them, whose elements lie side by side or, within kRun, evenly
  // spaced.
  template <typename Outside>
  void add_run(std::int64_t od, std::int64_t oh, std::int64_t ow, std::int64_t count, Outside& outside) {
    const Index* indices = address<const Index>(p_.indices, group_, od, oh) + ow * p_.indices.w;
    const T* gradients = address<const T>(p_.grad_output, group_, od, oh) + ow * p_.grad_output.w;
    const std::int64_t window = (od * p_.out.h + oh) * p_.out.w + ow;
    if (group_.channels > 1) {
      const std::int64_t step = std::max<std::int64_t>(kRun / group_.channels, 1);
      for (std::int64_t i = 0; i < count; i += step) {
        const std::int64_t windows = std::min(step, count - i);
        const Sum* terms = widen(gradients + i * group_.channels, 1, windows * group_.channels);
        sums_.note(terms, windows * group_.channels);
        add(indices + i * group_.channels, terms, window + i, windows, outside);
      }
      return;
    }
    for (std::int64_t i = 0; i < count; i += kRun) {
      const std::int64_t windows = std::min(kRun, count - i);
      const Sum* terms = widen(gradients + i * p_.grad_output.w, p_.grad_output.w, windows);
      sums_.note(terms, windows);
      add(gather(indices + i * p_.indices.w, windows), terms, window + i, windows, outside);
    }
  }

  const Sum* widen(const T* from, std::int64_t stride, std::int64_t count) {
    if constexpr (std::is_same_v<T, Sum>) {
      if (stride == 1) return from;
    }
    if (stride == 1) {
      for (std::int64_t i = 0; i < count; i += kLine) hwy::Prefetch(from + i + kRun);
    }
    widen_row(from, stride, scratch_.gradients.data(), count);
    return scratch_.gradients.data();
  }

  const Index* gather(const Index* from, std::int64_t count) {
    const std::int64_t stride = p_.indices.w;
    const bool aligned = is_aligned(p_.indices, sizeof(Index));
    if (stride == 1 && aligned) return from;
    auto* to = reinterpret_cast<Index*>(scratch_.indices.data());
    if (aligned) {
      for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * stride];
    } else {
      const auto* bytes = reinterpret_cast<const std::byte*>(from);
      for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i, bytes + i * stride * std::int64_t{sizeof(Index)}, sizeof(Index));
    }
    return to;
  }

  // One plane: all elements of a run are windows. Several: a window has an element for each channel.
  template <typename Outside>
  void add(const Index* indices, const Sum* gradients, std::int64_t window, std::int64_t count,
           Outside& outside) {
    const Resident cells{sums_.sums(), static_cast<std::uint64_t>(sums_.first_cell()),
                         static_cast<std::uint64_t>(sums_.cells())};
    if (group_.channels == 1) {
      add_elements<1>(cells, indices, gradients, count, 1,
                      [&](std::int64_t index, std::int64_t i) { outside(index, window + i, 0); });
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      add_elements<0>(cells, indices, gradients, group_.channels, group_.channels,
                      [&](std::int64_t index, std::int64_t c) { outside(index, window + i, c); });
      indices += group_.channels;
      gradients += group_.channels;
    }
  }

  struct Resident {
    Sum* sums;
    std::uint64_t first;
    std::uint64_t count;
  };

  // Element i goes to the sum of its cell, in the channel of its own if kChannels is 0.
  template <int kChannels, typename Outside>
  static void add_elements(const Resident& cells, const Index* indices, const Sum* gradients,
                           std::int64_t count, std::int64_t channels, const Outside& outside) {
    const auto cell_of = [&](std::int64_t i) {
      return static_cast<std::uint64_t>(std::int64_t{indices[i]}) - cells.first;
    };
    const auto sum = [&](std::uint64_t cell, std::int64_t i) -> Sum& {
      if constexpr (kChannels == 1) return cells.sums[cell];
      return cells.sums[cell * static_cast<std::uint64_t>(channels) + static_cast<std::uint64_t>(i)];
    };
    const auto add_one = [&](std::int64_t i) {
      const std::uint64_t cell = cell_of(i);
      if (cell < cells.count) {
        sum(cell, i) += gradients[i];
      } else {
        outside(indices[i], i);
      }
    };
    // Several are read before any is written: a store would hold up the loads behind it.
    constexpr std::int64_t kAtOnce = 8;
    std::int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      hwy::Prefetch(indices + i + kAhead);
      if constexpr (std::is_same_v<T, Sum>) hwy::Prefetch(gradients + i + kAhead);
      std::uint64_t cell[kAtOnce];
      Sum gradient[kAtOnce];
      std::uint64_t largest = 0;
      for (std::int64_t j = 0; j < kAtOnce; ++j) {
        cell[j] = cell_of(i + j);
        gradient[j] = gradients[i + j];
        largest = std::max(largest, cell[j]);
      }
      if (largest < cells.count) [[likely]] {
        for (std::int64_t j = 0; j < kAtOnce; ++j) sum(cell[j], i + j) += gradient[j];
      } else {
        for (std::int64_t j = 0; j < kAtOnce; ++j) add_one(i + j);
      }
    }
    for (; i < count; ++i) add_one(i);
  }

  const Plan& p_;
  const WindowAxes axes_;
  Scratch<Sum>& scratch_;
  SlidingSums<T> sums_;
  PlaneGroup group_{};
};

// Calls body(scatterer, i) on the workers for i in [0, total); each takes `elements`.
template <typename Body>
void run_scatterers(const Plan& plan, Workers& workers, bool streaming, std::int64_t total,
                    std::int64_t elements, const Body& body) {
  with_real_and_index_type(plan.type, plan.index_type, [&]<typename T, typename Index>() {
    const Units units{.count = total, .elements = elements};
    for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) {
      const OfThread<Scratch<SumOf<T>>> scratch;
      {
        Scatterer<T, Index> scatterer(plan, streaming, *scratch);
        for (std::int64_t i = begin; i < end; ++i) body(scatterer, i);
      }
      // What outgrew the cache is not worth keeping in every thread.
      if (scratch->sums.size() > 8 * kSumsInCache) scratch->sums = {};
      if (streaming) hwy::FlushStream();
    });
  });
}

}  // namespace cairn::max_pool_backward
