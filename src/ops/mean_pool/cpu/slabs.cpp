// Sums of more than 64 taps whose lanes are the same cells of every slice, or of every few rows: what lies
// between two planes of windows is added row by row, as it lies in memory, to rows that are the lanes of all
// windows at once. So memory is read in order, however small windows are.
// An EPYC, least ms with it and with long_windows: g3-32to4 on two threads FLOAT 5.6 and 7.3, FLOAT16 2.9 and
// 2.8, on one 7.7 and 8.5, 5.1 and 5.2; 100 volumes of it in the cache FLOAT16 0.094 and 0.119. Means of
// 16x16 from 4096 planes of 64x64, one thread, FLOAT 2.3 and 4.2, FLOAT16 1.5 and 2.2; from 640 planes, which
// stay in the cache, 0.24 and 0.21: there long_windows has no lanes to load.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/slabs.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool/cpu/line_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

template <typename T>
class Slabs {
 public:
  explicit Slabs(const Plan& plan)
      : p_(plan),
        kernel_(plan.w.kernel),
        rows_(long_sum::kLanes / kernel_),
        pitch_(plan.w.out * kernel_),
        together_(plan.self.h == pitch_ ? rows_ : 1),
        is_one_line_(together_ > 1 && plan.h.kernel == rows_ && plan.h.stride == rows_),
        divisor_(static_cast<float>(plan.divisor.given[0])) {
    grow(lanes_, p_.h.out * rows_ * pitch_);
  }

  // Planes of windows, counted over all.
  void pool(std::int64_t begin, std::int64_t end) {
    RowPlace at(p_, begin * p_.h.out);
    for (std::int64_t slab = begin; slab < end; ++slab, at.step(p_, p_.h.out)) {
      add_slab(at.template self<T>(p_) + at.d * p_.d.stride * p_.self.d);
      for (std::int64_t h = 0; h < p_.h.out; ++h)
        finish_row(lanes_.data() + h * rows_ * pitch_, at.template values<T>(p_) + h * p_.values.h);
    }
  }

 private:
  using D = hn::ScalableTag<float>;
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};
  static constexpr int kVectors = 2;
  static constexpr std::int64_t kTogether = kVectors * kLines;  // windows

  void add_slab(const T* slice) {
    for (std::int64_t d = 0; d < p_.d.kernel; ++d, slice += p_.self.d) {
      if (is_one_line_) {
        add_line(d == 0, slice, p_.h.out * rows_ * pitch_, lanes_.data());
        continue;
      }
      for (std::int64_t h = 0; h < p_.h.out; ++h) {
        const T* row = slice + h * p_.h.stride * p_.self.h;
        float* const lanes = lanes_.data() + h * rows_ * pitch_;
        for (std::int64_t i = 0; i < p_.h.kernel; i += together_, row += together_ * p_.self.h)
          add_line(d == 0 && i < rows_, row, together_ * pitch_, lanes + i % rows_ * pitch_);
      }
    }
  }

  // A lane may begin with its first term, which the definition adds to +0.0: that of a zero is lost as the
  // lane is added.
  HWY_INLINE void add_line(bool begins, const T* from, std::int64_t count, float* to) const {
    if (begins)
      add_vectors<true>(from, count, to);
    else
      add_vectors<false>(from, count, to);
  }
  template <bool kBegins>
  HWY_INLINE void add_vectors(const T* HWY_RESTRICT from, std::int64_t count, float* HWY_RESTRICT to) const {
    constexpr std::int64_t kAhead = 8192 / sizeof(T);
    constexpr std::int64_t kCells = 32;
    const D d;
    const auto add = [&](std::int64_t at) HWY_ATTR {
      const auto terms = load_float(d, from + at);
      hn::Store(kBegins ? terms : hn::Add(hn::Load(d, to + at), terms), d, to + at);
    };
    std::int64_t i = 0;
    for (; i + kCells <= count; i += kCells) {
      for (std::int64_t line = 0; line < kCells; line += 64 / sizeof(T))
        hwy::Prefetch(from + i + line + kAhead);
      for (std::int64_t v = 0; v < kCells; v += kWidth) add(i + v);
    }
    for (; i < count; i += kWidth) add(i);
  }

  // The windows of a row: a few at a time, each a lane of a vector.
  void finish_row(const float* lanes, T* to) const {
    for (std::int64_t first = 0; first < p_.w.out; first += kTogether) {
      const std::int64_t count = std::min(kTogether, p_.w.out - first);
      const float* lines[kTogether];
      for (std::int64_t i = 0; i < kTogether; ++i)
        lines[i] = lanes + (first + std::min(i, count - 1)) * kernel_;
      const Lines d;
      hn::Vec<Lines> sums[kVectors];
      for (auto& sum : sums) sum = hn::Zero(d);
      for (std::int64_t row = 0; row < rows_; ++row)
        add_lines_of(sums, static_cast<const float* const*>(lines), row * pitch_, kernel_, false,
                     [](std::int64_t) {});
      alignas(64) T stored[kTogether];
      for (std::int64_t v = 0; v < kVectors; ++v)
        store_sums(d, hn::Div(sums[v], hn::Set(d, divisor_)), stored + v * kLines);
      for (std::int64_t i = 0; i < count; ++i) to[(first + i) * p_.values.w] = stored[i];
    }
  }

  const Plan& p_;
  const std::int64_t kernel_, rows_;  // along W, and how many of those are 64
  const std::int64_t pitch_;
  const std::int64_t together_;  // rows that are one line, in memory and among the lanes
  const bool is_one_line_;       // all of a slice are
  const float divisor_;
  Aligned<float> lanes_;  // of each row of windows `rows_` rows of cells
};

void pool_slabs(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const Units slabs{.count = plan.n * plan.c * plan.d.out,
                    .elements = plan.d.kernel * plan.h.out * plan.h.kernel * plan.w.out * plan.w.kernel};
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, slabs,
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR { Slabs<T>(plan).pool(begin, end); });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::slabs {

const char* why_not(const Plan& given) {
  constexpr std::int64_t kMostLanes = 8192;  // that stay in the first cache
  if (!has_long_sums(given)) return "windows have at most 64 taps";
  const Plan plan = with_even_windows(given);
  if (!are_alike(plan) || plan.w.stride != plan.w.kernel || plan.h.stride < plan.h.kernel)
    return "windows overlap or differ, or have gaps along W";
  const std::int64_t kernel = plan.w.kernel;
  if (kernel < 8 || long_sum::kLanes % kernel != 0 || plan.h.kernel * kernel % long_sum::kLanes != 0)
    return "rows of windows do not fill the lanes of sums";
  if (plan.d.kernel == 1 && !streams_past_cache(bytes_touched(plan)))
    return "windows are of one slice, in the cache";
  if (most_taps(plan) > long_sum::kRun) return "windows have more than 4096 taps";
  if (plan.self.w != 1) return "cells are not neighbours in memory";
  if (plan.w.out * kernel % 16 != 0) return "rows do not fill vectors";
  return plan.h.out * long_sum::kLanes * plan.w.out > kMostLanes ? "planes have too many windows" : nullptr;
}

CAIRN_RUN_KERNEL(pool_slabs)

}  // namespace cairn::mean_pool::slabs
#endif
