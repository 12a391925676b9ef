#pragma once

#include <cstdint>

#include "ops/kit/cuda/chain.cuh"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/grid.h"
#include "ops/kit/cuda/march_strides.h"

// Every axis becomes 2 or 4 times as long: weights are known at compile time, and no tables are needed. A
// thread has the targets of a few sources along W and of one along the middle axis, and marches along the
// outermost: what an earlier pass gave is computed once for all targets that the thread makes of it.
namespace cairn::upsample_linear {

inline constexpr int kWholeRatioThreads = 128;

struct WholeRatioPlan {
  const void* from;
  void* to;
  cuda::MarchStrides from_by, to_by;
  cuda::Grid<std::uint32_t> grid;  // strips along the march, the middle axis, runs along W (of a step)
  int items;
  int march, middle, w;  // sources
  int strip;             // of steps along the march
  int step;              // of runs, in enlarge_lines
  bool slices_last;
};

// Step k of an axis makes the kRatio targets that lie between sources k - 1 and k, of kTaps sources around.
// kFused: the elements have so few bits that a weight of 1 / (2 kRatio) gives an exact product, in every pass
// and down to the smallest number. Adding that in the same instruction then changes no bit.
template <int kRatioOfAxis, int kTapsOfTarget, bool kFused>
struct WholeFilter {
  static constexpr int kRatio = kRatioOfAxis;
  static constexpr int kTaps = kTapsOfTarget;
  static constexpr int kHalo = kTaps / 2;

  __device__ static constexpr float weight(int j, int tap) {
    if constexpr (kTaps == 2) {
      const float t = static_cast<float>(2 * j + 1) / (2 * kRatio);
      return tap == 0 ? 1 - t : t;
    } else {
      static_assert(kRatio == 2);
      constexpr float kAtQuarter[] = {-0.10546875F, 0.87890625F, 0.26171875F, -0.03515625F};
      return kAtQuarter[j == 0 ? tap : 3 - tap];
    }
  }

  // Target j of a step. Sources before and after the axis leave their weights to the outermost one; sums of
  // weights are exact.
  template <typename Source>
  __device__ static float sum(int j, const Source& source, int before = 0, int after = 0) {
    if (before == 0 && after == 0) return whole_sum(j, source);
    float weights[kTaps];
#pragma unroll
    for (int i = 0; i < kTaps; ++i) weights[i] = weight(j, i);
#pragma unroll
    for (int i = 0; i + 1 < kTaps; ++i) {
      if (i < before) weights[i + 1] += weights[i];
      if (i < after) weights[kTaps - 2 - i] += weights[kTaps - 1 - i];
    }
    float result = -0.0F;
#pragma unroll
    for (int i = 0; i < kTaps; ++i) {
      result += i >= before && i < kTaps - after ? weights[i] * source(i) : -0.0F;
    }
    return result;
  }

 private:
  template <typename Source>
  __device__ static float whole_sum(int j, const Source& source) {
    if constexpr (kTaps == 2 && kFused) {
      if (j == 0) return __fmaf_rn(weight(j, 1), source(1), weight(j, 0) * source(0));
      if (j == kRatio - 1) return __fmaf_rn(weight(j, 0), source(0), weight(j, 1) * source(1));
    }
    float result = weight(j, 0) * source(0);
#pragma unroll
    for (int i = 1; i < kTaps; ++i) result += weight(j, i) * source(i);
    return result;
  }
};

// The targets of kColumns neighbours, kLanes times side by side. source(i, lane): i from -kHalo. `begin`
// cells lie before them on the axis and `left` behind, multiples of kColumns.
template <typename Filter, int kColumns, int kLanes, typename Source, typename Target>
__device__ void enlarge_run(int begin, int left, const Source& source, const Target& target) {
  constexpr int kHalo = Filter::kHalo;
  constexpr int kHalf = Filter::kRatio / 2;
  const auto make = [&](int o, int before, int after) {
    const int step = (o + kHalf) / Filter::kRatio;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      target(o, lane) = Filter::sum((o + kHalf) % Filter::kRatio,
                                    [&](int i) { return source(step - kHalo + i, lane); }, before, after);
    }
  };
#pragma unroll
  for (int o = 0; o < kColumns * Filter::kRatio; ++o) make(o, 0, 0);
#pragma unroll
  for (int near = 0; near < kHalo; near += kColumns) {
    if (begin == near) {
#pragma unroll
      for (int o = 0; o < kColumns * Filter::kRatio; ++o) {
        const int before = kHalo - near - (o + kHalf) / Filter::kRatio;
        if (before > 0) make(o, before, 0);
      }
    }
    if (left == near) {
#pragma unroll
      for (int o = 0; o < kColumns * Filter::kRatio; ++o) {
        const int after = (o + kHalf) / Filter::kRatio + kHalo - kColumns - near;
        if (after > 0) make(o, 0, after);
      }
    }
  }
}

// What a thread has of a row where neighbours along W are neighbours in memory: its columns, and some around.
template <typename T, typename Filter>
struct RunOfColumns {
  static constexpr int kValues = 16 / static_cast<int>(sizeof(T));  // one store; two were slower
  static constexpr int kColumns = kValues / Filter::kRatio;
  static constexpr int kLanes = 1;
  static constexpr int kHalo = Filter::kHalo;

  struct Places {
    int before, after;
    __device__ Places(int begin, int left, int /*stride*/)
        : before(begin == 0 ? 0 : -kHalo), after(left == 0 ? 0 : kColumns) {}
  };

  cuda::Pack<T, kHalo> before;
  cuda::Pack<T, kColumns> own;
  cuda::Pack<T, kHalo> after;

  __device__ void load(const T* run, const Places& places) {
    before = cuda::load_pack<T, kHalo>(run + places.before);
    own = cuda::load_pack<T, kColumns>(run);
    after = cuda::load_pack<T, kHalo>(run + places.after);
  }
  __device__ float at(int i, int /*lane*/) const {
    if (i < 0) return cuda::widen(before.at[i + kHalo]);
    return cuda::widen(i < kColumns ? own.at[i] : after.at[i - kColumns]);
  }
  __device__ static void store(T* to, int /*stride*/, const float (&values)[kValues]) {
    cuda::Pack<T, kValues> pack;
#pragma unroll
    for (int i = 0; i < kValues; ++i) pack.at[i] = cuda::narrow<T>(values[i]);
    cuda::store_pack(to, pack);
  }
};

// The same where channels are neighbours: a pack of them in one column.
template <typename T, typename Filter>
struct RunOfChannels {
  static constexpr int kValues = 8;
  static constexpr int kColumns = 1;
  static constexpr int kLanes = kValues / Filter::kRatio;
  static constexpr int kHalo = Filter::kHalo;
  static constexpr int kPacks = 2 * kHalo + 1;

  struct Places {
    int at[kPacks];
    __device__ Places(int begin, int left, int stride) {
#pragma unroll
      for (int i = 0; i < kPacks; ++i) at[i] = min(max(i - kHalo, -begin), left) * stride;
    }
  };

  cuda::Pack<T, kLanes> packs[kPacks];

  __device__ void load(const T* run, const Places& places) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i) packs[i] = cuda::load_pack<T, kLanes>(run + places.at[i]);
  }
  __device__ float at(int i, int lane) const { return cuda::widen(packs[i + kHalo].at[lane]); }
  __device__ static void store(T* to, int stride, const float (&values)[kValues]) {
#pragma unroll
    for (int o = 0; o < Filter::kRatio; ++o) {
      cuda::Pack<T, kLanes> pack;
#pragma unroll
      for (int i = 0; i < kLanes; ++i) pack.at[i] = cuda::narrow<T>(values[o * kLanes + i]);
      cuda::store_pack(to + o * stride, pack);
    }
  }
};

// A source along the march: kRows rows of it, of which kTargets come.
template <typename Filter, typename Run, bool kMiddle>
struct WholeSource {
  static constexpr int kRows = kMiddle ? 2 * Filter::kHalo + 1 : 1;
  static constexpr int kTargets = kMiddle ? Filter::kRatio : 1;
  using Values = float[kTargets][Run::kValues];

  Run rows[kRows];

  template <typename T>
  __device__ void load(const T* plane, const int (&lines)[kRows], const typename Run::Places& places) {
#pragma unroll
    for (int row = 0; row < kRows; ++row) rows[row].load(plane + lines[row], places);
  }
  __device__ void enlarge(int begin_w, int left_w, int begin, int left, Values& values) const {
    float lines[kRows][Run::kValues];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      enlarge_run<Filter, Run::kColumns, Run::kLanes>(
          begin_w, left_w, [&](int i, int lane) { return rows[row].at(i, lane); },
          [&](int o, int lane) -> float& { return lines[row][o * Run::kLanes + lane]; });
    }
    if constexpr (kMiddle) {
      enlarge_run<Filter, 1, Run::kValues>(
          begin, left, [&](int i, int lane) { return lines[i + Filter::kHalo][lane]; },
          [&](int o, int lane) -> float& { return values[o][lane]; });
    } else {
#pragma unroll
      for (int i = 0; i < Run::kValues; ++i) values[0][i] = lines[0][i];
    }
  }
};

// A strip of steps.
template <typename T, typename Filter, typename Run, bool kMiddle>
class Enlargement {
 public:
  using Place = cuda::Place<int>;

  __device__ Enlargement(const WholeRatioPlan& plan, const Place& place)
      : plan_(plan),
        begin_w_(place.w * Run::kColumns),
        left_w_(plan.w - Run::kColumns - begin_w_),
        begin_(place.h),
        left_(plan.middle - 1 - place.h),
        first_(place.d * plan.strip),
        places_(begin_w_, left_w_, plan.from_by.w) {
#pragma unroll
    for (int row = 0; row < Source::kRows; ++row)
      lines_[row] = min(max(row - Source::kRows / 2, -begin_), left_) * plan.from_by.middle;
    const auto offset = [&](const cuda::MarchStrides& by, int ratio_of_middle, int ratio) {
      return place.n * by.n + place.slice * Run::kLanes * by.c +
             static_cast<std::int64_t>(begin_ * ratio_of_middle) * by.middle +
             static_cast<std::int64_t>(begin_w_ * ratio) * by.w;
    };
    from_ = static_cast<const T*>(plan.from) + offset(plan.from_by, 1, 1);
    to_ = static_cast<T*>(plan.to) + offset(plan.to_by, Source::kTargets, kRatio) +
          static_cast<std::int64_t>(first_ * kRatio - kRatio / 2) * plan.to_by.march;
  }

  __device__ void run() {
    load(first_ - kHalo);
#pragma unroll
    for (int i = 1; i < kTaps; ++i) {
      take();
      load(first_ - kHalo + i);
    }
    const int end = min(first_ + plan_.strip, plan_.march + 1);
    for (int step = first_; step < end; ++step, to_ += kRatio * plan_.to_by.march) {
      take();
      load(step + kHalo);
      const int before = max(kHalo - step, 0);
      const int after = max(step + kHalo - plan_.march, 0);
      if (before == 0 && after == 0) {
#pragma unroll
        for (int j = 0; j < kRatio; ++j) store(j, 0, 0);
      } else {
        // The outermost steps have only the targets that lie on the axis.
#pragma unroll
        for (int j = 0; j < kRatio; ++j) {
          if (step == 0 ? j >= kRatio / 2 : step < plan_.march || j < kRatio / 2) store(j, before, after);
        }
      }
    }
  }

 private:
  using Source = WholeSource<Filter, Run, kMiddle>;
  static constexpr int kHalo = Filter::kHalo;
  static constexpr int kTaps = Filter::kTaps;
  static constexpr int kRatio = Filter::kRatio;

  __device__ void load(int at) {
    next_.load(from_ + min(max(at, 0), plan_.march - 1) * plan_.from_by.march, lines_, places_);
  }
  __device__ void take() {
#pragma unroll
    for (int i = 0; i + 1 < kTaps; ++i) {
#pragma unroll
      for (int row = 0; row < Source::kTargets; ++row) {
#pragma unroll
        for (int v = 0; v < Run::kValues; ++v) kept_[i][row][v] = kept_[i + 1][row][v];
      }
    }
    next_.enlarge(begin_w_, left_w_, begin_, left_, kept_[kTaps - 1]);
  }
  __device__ void store(int j, int before, int after) const {
#pragma unroll
    for (int row = 0; row < Source::kTargets; ++row) {
      float values[Run::kValues];
#pragma unroll
      for (int v = 0; v < Run::kValues; ++v)
        values[v] = Filter::sum(
            j, [&](int i) { return kept_[i][row][v]; }, before, after);
      Run::store(to_ + j * plan_.to_by.march + row * plan_.to_by.middle, plan_.to_by.w, values);
    }
  }

  const WholeRatioPlan& plan_;
  int begin_w_, left_w_;  // sources along W before and behind the thread's
  int begin_, left_;      // the same along the middle axis
  int first_;             // step
  typename Run::Places places_;
  int lines_[Source::kRows];
  const T* from_;
  T* to_;
  Source next_;
  typename Source::Values kept_[kTaps];  // of the sources around a step
};

// W alone; the other axes are as they were. A thread has some runs, far enough apart that neighbours in a
// warp have neighbours in memory.
inline constexpr int kRunsOfLine = 4;

template <typename T, typename Filter, typename Run>
__global__ void __launch_bounds__(kWholeRatioThreads)
    enlarge_lines(const __grid_constant__ WholeRatioPlan plan) {
  cuda::let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kWholeRatioThreads + threadIdx.x);
  if (item >= plan.items) return;
  const auto place = plan.grid.place_of<int>(static_cast<std::uint32_t>(item), /*slices_last=*/false);
  const T* from = static_cast<const T*>(plan.from) + plan.from_by.line(place);
  T* to = static_cast<T*>(plan.to) + plan.to_by.line(place);
  cuda::wait_for_kernel_before();
  // Past the last run this is the last one, which gets the same values again.
  const auto begin = [&](int i) {
    return min((place.w + i * plan.step) * Run::kColumns, plan.w - Run::kColumns);
  };
  Run runs[kRunsOfLine];
#pragma unroll
  for (int i = 0; i < kRunsOfLine; ++i)
    runs[i].load(from + begin(i), {begin(i), plan.w - Run::kColumns - begin(i), 1});
#pragma unroll
  for (int i = 0; i < kRunsOfLine; ++i) {
    float values[Run::kValues];
    enlarge_run<Filter, Run::kColumns, 1>(
        begin(i), plan.w - Run::kColumns - begin(i), [&](int at, int lane) { return runs[i].at(at, lane); },
        [&](int o, int /*lane*/) -> float& { return values[o]; });
    // The outermost are copies, and a NaN among them is whatever it was: narrow() expects the device's own.
#pragma unroll
    for (float& value : values) value = value == value ? value : __int_as_float(0x7FFFFFFF);
    Run::store(to + begin(i) * Filter::kRatio, 1, values);
  }
}

template <typename T, typename Filter, typename Run, bool kMiddle>
__global__ void __launch_bounds__(kWholeRatioThreads)
    enlarge_planes(const __grid_constant__ WholeRatioPlan plan) {
  cuda::let_next_kernel_come();
  const auto item = static_cast<int>(blockIdx.x * kWholeRatioThreads + threadIdx.x);
  if (item >= plan.items) return;
  Enlargement<T, Filter, Run, kMiddle> enlargement(
      plan, plan.grid.place_of<int>(static_cast<std::uint32_t>(item), plan.slices_last));
  cuda::wait_for_kernel_before();
  enlargement.run();
}

}  // namespace cairn::upsample_linear
