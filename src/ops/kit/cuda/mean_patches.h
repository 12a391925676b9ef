#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cuda/mean_marches.cuh"
#include "ops/kit/cuda/mean_patches.cuh"
#include "ops/kit/cuda/types.cuh"
#include "ops/kit/cuda/views.h"
#include "ops/kit/long_sum.h"

namespace cairn::cuda {

// The pattern of an axis. Up to `most` neighbours along it are summed by one thread.
template <typename Way>
MeanPattern pattern_of(const MeanAxis& axis, std::int64_t most) {
  if (axis.kernel == 3 && axis.stride == 1) return MeanPattern::kThreesByOne;
  if (axis.kernel == 3 && axis.stride == 2) return MeanPattern::kThreesByTwo;
  if (axis.padding != 0 || axis.kernel != axis.stride) return MeanPattern::kNone;
  if (axis.kernel == 2) return MeanPattern::kTwosByTwo;
  const bool same = axis.is_whole() || axis.stride % most == 0;
  return !Way::kForward && !axis.is_adaptive() && same ? MeanPattern::kUnderOne : MeanPattern::kNone;
}

template <typename T, typename Way, typename Plan>
struct MeanPatchesStart {
  const Plan& plan;
  const View5& from;
  const View5& to;
  cudaStream_t stream;

  static constexpr int kFull = 16 / sizeof(T);
  static constexpr int kHalf = kFull / 2;
  static constexpr std::int64_t kMostRows = 4;  // of cells of one window, in planes
  static constexpr std::int64_t kMostColumns = 8;

  std::int64_t results(const MeanAxis& axis) const { return Way::kForward ? axis.out : axis.in; }
  std::int64_t sources(const MeanAxis& axis) const { return Way::kForward ? axis.in : axis.out; }

  bool in_channels() const {
    return channels_in_packs(from, sizeof(T), kFull, plan.c, sources(plan.w)) &&
           channels_in_packs(to, sizeof(T), kFull, plan.c, results(plan.w));
  }
  template <typename W>
  bool in_rows() const {
    return from.w == 1 && to.w == 1 && results(plan.w) % W::kResults == 0 &&
           (W::kBody == 1 || results(plan.w) / W::kResults * W::kBody <= sources(plan.w)) &&
           in_packs(to.data, sizeof(T), W::kResults, {to.n, to.c, to.d, to.h}) &&
           in_packs(from.data, sizeof(T), W::kBody, {from.n, from.c, from.d, from.h});
  }

  // So many steps along D and H, of which a thread takes some at once.
  template <typename W, int Channels>
  cudaError_t launch(void (*kernel)(MeanPatches), std::int64_t steps_d, std::int64_t steps_h,
                     std::int64_t march) const {
    constexpr int kThreads = MeanPatches::kThreads;
    const Size3 items{steps_d, steps_h, divide_up(results(plan.w), W::kResults)};
    MeanPatches patches;
    static_cast<NarrowMeans<float>&>(patches) = narrow_means<float>(plan, from, to, plan.c / Channels, items);
    patches.quotient = MeanQuotient(plan.divisor);
    patches.results_d = static_cast<int>(results(plan.d));
    patches.results_h = static_cast<int>(results(plan.h));
    patches.results_w = static_cast<int>(results(plan.w));
    patches.sources_d = static_cast<int>(sources(plan.d));
    patches.sources_h = static_cast<int>(sources(plan.h));
    patches.sources_w = static_cast<int>(sources(plan.w));
    patches.march = static_cast<int>(march);
    return start_kernel(kernel, patches, divide_up(patches.items, kThreads), kThreads, 0, stream);
  }

  template <typename H, typename W, int Channels>
  cudaError_t start() const {
    const std::int64_t steps_h = divide_up(results(plan.h), H::kResults);
    // Windows side by side are so along D too.
    constexpr bool kMayBeDeep = Way::kForward || H::kSources * 2 > H::kResults;
    if constexpr (kMayBeDeep) {
      if constexpr (H::kPattern == MeanPattern::kThreesByTwo && Channels == 1)
        if (pattern_of<Way>(plan.d, 1) == MeanPattern::kThreesByTwo) return march_along_d<H, W>(steps_h);
      if (is_deep())
        return launch<W, Channels>(sum_patches<T, Way, H, W, Channels, true>, results(plan.d), steps_h, 1);
    }
    if constexpr (H::kPattern == MeanPattern::kThreesByOne && Channels > 1) {
      const std::int64_t columns = divide_up(results(plan.w), W::kResults);
      const std::int64_t march =
          march_of(results(plan.h), plan.n * plan.c / Channels * results(plan.d) * columns, 16);
      return launch<W, Channels>(sum_rows<T, Way, W, Channels>, results(plan.d),
                                 divide_up(results(plan.h), march), march);
    } else {
      return launch<W, Channels>(sum_patches<T, Way, H, W, Channels, false>, results(plan.d), steps_h, 1);
    }
  }
  template <typename H, typename W>
  cudaError_t march_along_d(std::int64_t steps_h) const {
    const std::int64_t each = plan.n * plan.c * steps_h * divide_up(results(plan.w), W::kResults);
    if constexpr (Way::kForward) {
      const std::int64_t march = march_of(plan.d.out, each, 16);
      return launch<W, 1>(sum_deep_windows<T, H, W>, divide_up(plan.d.out, march), steps_h, march);
    } else {
      const std::int64_t steps = (plan.d.in - 1 + plan.d.padding) / 2 + 1;
      const std::int64_t march = march_of(steps, each, 4);
      return launch<W, 1>(sum_deep_cells<T, H, W>, divide_up(steps, march), steps_h, march);
    }
  }
  // Steps of a thread, as even as can be: as many as leave threads enough, with so many for each step.
  static std::int64_t march_of(std::int64_t steps, std::int64_t each, std::int64_t most) {
    constexpr std::int64_t kManyThreads = 1 << 18;
    const std::int64_t wanted =
        std::clamp<std::int64_t>(steps * each / kManyThreads, 1, std::min(most, steps));
    return divide_up(steps, std::max<std::int64_t>((steps + wanted / 2) / wanted, 1));
  }
  bool is_deep() const { return (Way::kForward ? plan.d.most_cells() : plan.d.most_windows()) > 1; }

  // body(H, W) of the patterns that this plan has, in rows.
  template <typename Body>
  auto by_row_pattern(const Body& body) const -> decltype(body(ThreesByOne<4>{}, ThreesByOne<kFull>{})) {
    const MeanPattern pattern = pattern_of<Way>(plan.w, kFull);
    const bool same_padding = plan.h.padding == plan.w.padding;
    if (pattern != pattern_of<Way>(plan.h, kMostRows)) return {};
    if (pattern == MeanPattern::kThreesByOne && plan.w.padding == 1)
      return body(ThreesByOne<4>{}, ThreesByOne<kFull>{});
    if constexpr (Way::kForward) {
      if (pattern == MeanPattern::kTwosByTwo) return body(TwosByTwo<1>{}, TwosByTwo<kHalf>{});
      if (pattern != MeanPattern::kThreesByTwo) return {};
      return plan.w.padding == 1 ? body(ThreesByTwo<2, 1>{}, ThreesByTwo<kHalf, 1>{})
                                 : body(ThreesByTwo<2, 0>{}, ThreesByTwo<kHalf, 0>{});
    } else {
      if (pattern == MeanPattern::kTwosByTwo) return body(UnderTwosByTwo<4>{}, UnderTwosByTwo<kFull>{});
      if (pattern == MeanPattern::kUnderOne) return body(UnderOne<kMostRows>{}, UnderOne<kFull>{});
      if (pattern != MeanPattern::kThreesByTwo || !same_padding) return {};
      return plan.w.padding == 1 ? body(UnderThreesByTwo<4, 1>{}, UnderThreesByTwo<kFull, 1>{})
                                 : body(UnderThreesByTwo<4, 0>{}, UnderThreesByTwo<kFull, 0>{});
    }
  }
  // The same with channels in packs.
  template <typename Body>
  auto by_channel_pattern(const Body& body) const -> decltype(body(ThreesByOne<2>{}, ThreesByOne<2>{})) {
    const MeanPattern pattern = pattern_of<Way>(plan.w, kMostColumns);
    if (pattern != pattern_of<Way>(plan.h, 2)) return {};
    if (pattern == MeanPattern::kThreesByOne) return body(ThreesByOne<2>{}, ThreesByOne<2>{});
    if constexpr (Way::kForward) {
      if (pattern == MeanPattern::kTwosByTwo) return body(TwosByTwo<1>{}, TwosByTwo<2>{});
      if (pattern == MeanPattern::kThreesByTwo) return body(ThreesByTwo<1, 1>{}, ThreesByTwo<2, 1>{});
      return {};
    } else {
      if (pattern == MeanPattern::kTwosByTwo) return body(UnderTwosByTwo<2>{}, UnderTwosByTwo<2>{});
      if (pattern == MeanPattern::kUnderOne) return body(UnderOne<2>{}, UnderOne<kMostColumns>{});
      if (pattern != MeanPattern::kThreesByTwo || plan.h.padding != plan.w.padding) return {};
      return plan.w.padding == 1 ? body(UnderThreesByTwo<2, 1>{}, UnderThreesByTwo<2, 1>{})
                                 : body(UnderThreesByTwo<2, 0>{}, UnderThreesByTwo<2, 0>{});
    }
  }
};

// Where channels do not lie in packs, rows must.
template <typename T, typename Way, typename Plan>
const char* why_not_patches(const Plan& plan, const View5& from, const View5& to) {
  const MeanPatchesStart<T, Way, Plan> start{plan, from, to, nullptr};
  const auto most = [](const MeanAxis& axis) {
    return Way::kForward ? axis.most_cells() : axis.most_windows();
  };
  if (most(plan.d) * most(plan.h) * most(plan.w) > long_sum::kLanes) return "sums have more than 64 terms";
  if (!MeanQuotient::takes(plan.divisor)) return "windows have different divisors, or an unlikely one";
  if (!Way::kForward && plan.h.are_apart() && start.is_deep()) return "windows overlap along D alone";
  struct Takes {
    bool known = false, lie = false;
  };
  if (start.in_channels()) {
    const auto takes = start.by_channel_pattern([]<typename H, typename W>(H, W) {
      return Takes{true, true};
    });
    return takes.known ? nullptr : "windows are not of a pattern it knows";
  }
  const auto takes = start.by_row_pattern([&]<typename H, typename W>(H, W) {
    return Takes{true, start.template in_rows<W>()};
  });
  if (!takes.known) return "windows are not of a pattern it knows";
  return takes.lie ? nullptr : "neither channels nor rows lie in packs";
}

template <typename T, typename Way, typename Plan>
cudaError_t run_patches(const Plan& plan, const View5& from, const View5& to, cudaStream_t stream) {
  using Start = MeanPatchesStart<T, Way, Plan>;
  const Start it{plan, from, to, stream};
  if (it.in_channels())
    return it.by_channel_pattern(
        [&]<typename H, typename W>(H, W) { return it.template start<H, W, Start::kFull>(); });
  return it.by_row_pattern([&]<typename H, typename W>(H, W) { return it.template start<H, W, 1>(); });
}

}  // namespace cairn::cuda
