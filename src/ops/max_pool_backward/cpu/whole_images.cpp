#include <algorithm>
#include <cstdint>
#include <cstring>

#include "backend/kernel.h"
#include "hwy/base.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/rows.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/cpu/box_tasks.h"
#include "ops/max_pool_backward/cpu/fault_finder.h"
#include "ops/max_pool_backward/cpu/geometry.h"
#include "ops/max_pool_backward/plan.h"

namespace cairn::max_pool_backward::whole_images {
namespace {

// Some windows of an image, `channels` elements each; the next window's lie `pitch` further on.
template <typename Index>
struct Windows {
  const Index* indices;
  const float* gradients;
  std::int64_t pitch;
  std::int64_t count;
  std::int64_t channels;
};

// True if an index names no cell and is not -1 either. A function of its own, so that all it uses stays in
// registers.
template <typename Index>
HWY_NOINLINE bool add_windows(float* sums, std::uint64_t cells, const Windows<Index>& windows) {
  const Index* indices = windows.indices;
  const float* gradients = windows.gradients;
  const auto pitch = static_cast<std::uint64_t>(windows.pitch);
  const std::int64_t channels = windows.channels;
  bool fault = false;
  for (std::int64_t left = windows.count; left > 0; --left) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto cell = static_cast<std::uint64_t>(std::int64_t{indices[c]});
      if (cell < cells) [[likely]] {
        sums[cell * pitch + static_cast<std::uint64_t>(c)] += gradients[c];
      } else {
        fault |= indices[c] != -1;
      }
    }
    indices += pitch;
    gradients += pitch;
  }
  return fault;
}

// Channels that a thread takes at a time: all, unless images are few. Whole cache lines then.
std::int64_t channels_together(const Plan& p) {
  constexpr std::int64_t kEnough = 16;
  constexpr std::int64_t kFewest = 64;
  const std::int64_t groups = (kEnough + p.n - 1) / p.n;
  const std::int64_t channels = (p.c / groups + kFewest - 1) / kFewest * kFewest;
  return std::clamp(channels, std::min(kFewest, p.c), p.c);
}

template <typename Index>
class Adder {
 public:
  Adder(const Plan& plan, FirstFault& faults)
      : p_(plan), cells_(plan.in.count()), windows_(plan.out.count()), faults_(faults) {}

  void add(const PlaneGroup& group) const {
    constexpr std::int64_t kElements = 4096;
    auto* sums = address<float>(p_.grad_input, group, 0, 0);
    const auto* indices = address<const Index>(p_.indices, group, 0, 0);
    const auto* gradients = address<const float>(p_.grad_output, group, 0, 0);
    for_each_run(group, sums, cells_, [](float* run, std::int64_t count) {
      std::memset(run, 0, static_cast<std::size_t>(count) * sizeof(float));
    });
    const std::int64_t step = std::max<std::int64_t>(kElements / group.channels, 1);
    bool finite = true;
    bool fault = false;
    for (std::int64_t window = 0; window < windows_; window += step) {
      const std::int64_t count = std::min(step, windows_ - window);
      const Windows<Index> some{indices + window * p_.c, gradients + window * p_.c, p_.c, count,
                                group.channels};
      fault |= add_windows(sums, static_cast<std::uint64_t>(cells_), some);
      for_each_run(group, some.gradients, count, [&](const float* run, std::int64_t elements) {
        finite = finite && all_finite(run, elements);
      });
    }
    if (fault) find_faults(group, indices);
    if (finite) return;
    for_each_run(group, sums, cells_, [](float* run, std::int64_t count) { narrow_row(run, run, 1, count); });
  }

 private:
  // Calls body(run, elements) for `count` cells or windows.
  template <typename E, typename Body>
  void for_each_run(const PlaneGroup& group, E* first, std::int64_t count, const Body& body) const {
    if (group.channels == p_.c) return body(first, count * p_.c);
    for (std::int64_t i = 0; i < count; ++i) body(first + i * p_.c, group.channels);
  }

  void find_faults(const PlaneGroup& group, const Index* indices) const {
    for (std::int64_t c = 0; c < group.channels; ++c) {
      FaultFinder find_fault(p_, {group.n, group.c + c, 1}, faults_);
      for (std::int64_t i = 0; i < windows_; ++i) find_fault(indices[i * p_.c + c], i, 0);
    }
  }

  const Plan& p_;
  const std::int64_t cells_;
  const std::int64_t windows_;
  FirstFault& faults_;
};

// The channels of a cell lie side by side, and the cells too.
bool is_dense_image(const View5& view, std::int64_t c, const Size3& size) {
  return view.c == 1 && (size.w == 1 || view.w == c) && (size.h == 1 || view.h == size.w * c) &&
         (size.d == 1 || view.d == size.h * size.w * c);
}

}  // namespace

const char* why_not(const Plan& p) {
  if (const char* reason = why_not_indices(p)) return reason;
  // Where cells are few to a window, sum_channels is faster.
  constexpr std::int64_t kManyChannels = 32;
  constexpr std::int64_t kManyCells = 16;
  constexpr std::int64_t kFewestGroups = 4;
  if (p.n == 0 || p.c < 2) return "there are no channels side by side";
  if (p.type != DataType::kFloat) return "elements are not FLOAT";
  if (writes_past_cache(p)) return "sums do not stay in the cache";
  if (!is_dense_image(p.grad_output, p.c, p.out) || !is_dense_image(p.indices, p.c, p.out) ||
      !is_dense_image(p.grad_input, p.c, p.in))
    return "channels or cells do not lie side by side";
  if (p.c >= kManyChannels && p.in.count() < kManyCells * p.out.count() && have_few_windows(WindowAxes(p), 4))
    return "few windows reach a cell, in many channels";
  const std::int64_t groups = p.n * ((p.c - 1) / channels_together(p) + 1);
  if (groups < kFewestGroups && p.n * p.c * (p.in.count() + p.out.count()) > kTaskElements)
    return "images are few and large";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  const std::int64_t channels = channels_together(plan);
  const std::int64_t groups = (plan.c - 1) / channels + 1;
  const Units units{.count = plan.n * groups, .elements = (plan.in.count() + plan.out.count()) * channels};
  FirstFault faults;
  with_index_type(plan.index_type, [&]<typename Index>() {
    for_each_range(workers, units, [&](std::int64_t begin, std::int64_t end) {
      const Adder<Index> adder(plan, faults);
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t c = i % groups * channels;
        adder.add({i / groups, c, std::min(channels, plan.c - c)});
      }
    });
  });
  return faults.get();
}

}  // namespace cairn::max_pool_backward::whole_images
