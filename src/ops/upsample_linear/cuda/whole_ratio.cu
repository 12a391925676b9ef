#include <algorithm>
#include <utility>

#include "ops/kit/cuda/strides.h"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/upsample_linear/cuda/methods.h"
#include "ops/upsample_linear/cuda/whole_ratio.cuh"

namespace cairn::upsample_linear {
namespace {

// Targets to a source where that is a whole number along the axis and positions are exact; 0 where not.
std::int64_t whole_ratio(const FilterAxis& axis) {
  const bool is_plain = axis.filter == Filter::kLinear || axis.filter == Filter::kCubic;
  if (!is_plain || axis.align_corners || axis.in == 0 || axis.out % axis.in != 0) return 0;
  const std::int64_t ratio = axis.out / axis.in;
  return axis.scale > 0 && axis.scale != static_cast<double>(ratio) ? 0 : ratio;
}

// Steps of a thread: what it computes before the first is little beside them, and threads are many enough.
template <typename Filter>
constexpr std::int64_t kStrip = Filter::kTaps == 2 ? 3 : 6;

// As MarchAxes has them, but planes along D that keep their number are like so many images, and so are rows
// like lines.
struct Axes {
  FilterAxis march, middle;
  bool flat;   // nothing is between the march and W
  bool lines;  // nothing but W

  explicit Axes(const Plan& plan)
      : march(plan.d), middle(plan.h), flat(plan.d.keeps_values()), lines(flat && plan.h.keeps_values()) {
    if (flat && !lines) std::swap(march, middle);
  }
};

bool is_cubic(const Plan& plan) { return plan.w.filter == Filter::kCubic; }

bool by_channels(const Plan& plan) { return plan.c > 1 && plan.out.c == 1; }

// body(Tag<T>, Tag<Filter>, Tag<Run>) as the plan has them.
template <typename Body>
auto with_run(const Plan& plan, const Body& body) {
  return cuda::by_float_type(plan.type, [&]<typename T>(cuda::Tag<T> type) {
    const auto with_filter = [&]<typename Filter>(cuda::Tag<Filter> filter) {
      return by_channels(plan) ? body(type, filter, cuda::Tag<RunOfChannels<T, Filter>>{})
                               : body(type, filter, cuda::Tag<RunOfColumns<T, Filter>>{});
    };
    constexpr bool kFused = sizeof(T) == 2;
    if (is_cubic(plan)) return with_filter(cuda::Tag<WholeFilter<2, 4, kFused>>{});
    if (plan.w.out == 4 * plan.w.in) return with_filter(cuda::Tag<WholeFilter<4, 2, kFused>>{});
    return with_filter(cuda::Tag<WholeFilter<2, 2, kFused>>{});
  });
}

const char* why_not_size(const Plan& plan) {
  const Size3 out{plan.d.out, plan.h.out, plan.w.out};
  const std::int64_t targets = plan.n * plan.c * out.count();
  if (targets == 0) return "there are no targets";
  if (!cuda::is_narrow(plan.self, {plan.d.in, plan.h.in, plan.w.in}) || !cuda::is_narrow(plan.out, out))
    return "sizes or offsets in a plane need 64 bits";
  if (targets >= INT32_MAX - kWholeRatioThreads) return "too many targets to number in 32 bits";
  return nullptr;
}

const char* why_not_ratio(const Plan& plan) {
  const Axes axes(plan);
  const std::int64_t ratio = whole_ratio(plan.w);
  if (ratio != 2 && ratio != 4) return "W does not become exactly 2 or 4 times as long";
  if (axes.lines) {
    if (by_channels(plan)) return "W alone becomes longer, and channels are neighbours";
    return is_cubic(plan) ? "W alone becomes longer, and is cubic" : nullptr;
  }
  if (whole_ratio(axes.march) != ratio) return "the axes do not become as many times as long";
  if (!axes.flat) {
    if (ratio != 2) return "three axes become 4 times as long";
    if (is_cubic(plan)) return "three axes are cubic";
    if (whole_ratio(axes.middle) != ratio) return "the axes do not become as many times as long";
  }
  if (is_cubic(plan) && ratio != 2) return "cubic axes become 4 times as long";
  if (is_cubic(plan) && std::min(axes.march.in, plan.w.in) < 3) return "a cubic axis has fewer than 3 cells";
  return nullptr;
}

}  // namespace

const char* why_not_whole_ratio(const Plan& plan) {
  if (plan.type == DataType::kDouble) return "elements are DOUBLE";
  if (const char* reason = why_not_size(plan)) return reason;
  if (const char* reason = why_not_ratio(plan)) return reason;
  return with_run(plan, [&]<typename T, typename Run>(cuda::Tag<T>, auto, cuda::Tag<Run>) -> const char* {
    const auto lies_in = [](const View5& view, int count) {
      return cuda::in_packs(view.data, sizeof(T), count, {view.n, view.d, view.h});
    };
    const View5& self = plan.self;
    const View5& out = plan.out;
    if (by_channels(plan)) {
      if (self.c != 1) return "channels are neighbours in out alone";
      if (plan.c % Run::kLanes != 0 || self.w % Run::kLanes != 0 || out.w % Run::kLanes != 0 ||
          !lies_in(self, Run::kLanes) || !lies_in(out, Run::kLanes))
        return "channels do not lie in packs";
      return nullptr;
    }
    if (self.w != 1 || out.w != 1) return "neighbours along W are none in memory";
    if (plan.w.in % Run::kColumns != 0) return "W is no multiple of what a thread has";
    if (self.c % Run::kColumns != 0 || out.c % Run::kValues != 0 || !lies_in(self, Run::kColumns) ||
        !lies_in(out, Run::kValues))
      return "rows do not lie in packs";
    return nullptr;
  });
}

cudaError_t run_whole_ratio(const Plan& plan, const cuda::CudaLaunch& launch) {
  const Axes axes(plan);
  return with_run(
      plan, [&]<typename T, typename Filter, typename Run>(cuda::Tag<T>, cuda::Tag<Filter>, cuda::Tag<Run>) {
        const bool by_rows = axes.flat && !axes.lines;
        WholeRatioPlan to_run{};
        to_run.from = plan.self.data;
        to_run.to = plan.out.data;
        to_run.from_by = cuda::march_strides(plan.self, by_rows);
        to_run.to_by = cuda::march_strides(plan.out, by_rows);
        to_run.march = static_cast<int>(axes.march.in);
        to_run.middle = static_cast<int>(axes.middle.in);
        to_run.w = static_cast<int>(plan.w.in);
        to_run.slices_last = by_channels(plan);
        const std::int64_t slices = plan.c / Run::kLanes;
        std::int64_t runs = plan.w.in / Run::kColumns;
        std::int64_t strips = axes.march.in;
        if (axes.lines) {
          runs = to_run.step = static_cast<int>(cuda::divide_up(runs, kRunsOfLine));
        } else {
          const std::int64_t steps = axes.march.in + 1;
          to_run.strip = static_cast<int>(std::min(steps, kStrip<Filter>));
          strips = cuda::divide_up(steps, to_run.strip);
        }
        to_run.grid = {slices, Size3{strips, axes.middle.in, runs}};
        to_run.items = static_cast<int>(plan.n * slices * axes.middle.in * runs * strips);
        const auto start = [&](auto kernel) {
          return cuda::start_kernel(kernel, to_run, cuda::divide_up(to_run.items, kWholeRatioThreads),
                                    kWholeRatioThreads, 0, launch.stream);
        };
        if constexpr (Filter::kTaps == 2 && Run::kLanes == 1) {
          if (axes.lines) return start(enlarge_lines<T, Filter, Run>);
        }
        if constexpr (Filter::kTaps == 2 && Filter::kRatio == 2) {
          if (!axes.flat) return start(enlarge_planes<T, Filter, Run, true>);
        }
        return start(enlarge_planes<T, Filter, Run, false>);
      });
}

}  // namespace cairn::upsample_linear
