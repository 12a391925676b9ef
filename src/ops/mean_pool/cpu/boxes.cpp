// Windows of at most 64 taps whose rows lie in order: a few windows at a time, each a lane of a vector. Where
// all windows are alike they may be of different rows and planes.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/boxes.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool/cpu/line_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

template <typename T>
class Boxes {
 public:
  explicit Boxes(const Plan& plan) : p_(plan) {
    const Size3 in{plan.d.in, plan.h.in, plan.w.in};
    if (!is_dense(plan.self, plan.n, plan.c, in)) return;
    begin_ = static_cast<const T*>(plan.self.data);
    end_ = begin_ + plan.n * plan.c * in.count();
  }

  // Windows, counted over all planes.
  void pool_windows(std::int64_t begin, std::int64_t end) const {
    std::int64_t w = begin % p_.w.out;
    RowPlace at(p_, begin / p_.w.out);
    const T* tap = first_tap(at) + w * p_.w.stride;
    T* to = at.template values<T>(p_) + w * p_.values.w;
    for (std::int64_t first = begin; first < end; first += kVectors * kLines) {
      Group<kVectors> group;
      group.count = std::min(kVectors * kLines, end - first);
      for (std::int64_t i = 0; i < group.count; ++i) {
        group.lines[i] = tap;
        group.to[i] = to;
        tap += p_.w.stride;
        to += p_.values.w;
        if (++w < p_.w.out) continue;
        w = 0;
        at.step(p_);
        tap = first_tap(at);
        to = at.template values<T>(p_);
      }
      prefetch_behind(group.lines[0]);
      pool_alike(group);
    }
  }

  void pool_row(std::int64_t row) const {
    const RowPlace at(p_, row);
    const T* self = at.template self<T>(p_);
    const RowDivisors<float> divisors(p_, at.d, at.h);
    const Span d = p_.d.cells(at.d);
    const Span h = p_.h.cells(at.h);
    for (std::int64_t first = 0; first < p_.w.out; first += kLines) {
      Group<1> group;
      group.count = std::min(kLines, p_.w.out - first);
      alignas(64) float counts[kLines], by[kLines];
      std::int64_t most = 0;
      for (std::int64_t i = 0; i < kLines; ++i) {
        const std::int64_t w = std::min(first + i, p_.w.out - 1);
        const Span cells = p_.w.cells(w);
        group.lines[i] = self + d.begin * p_.self.d + h.begin * p_.self.h + cells.begin;
        group.to[i] = at.template values<T>(p_) + w * p_.values.w;
        counts[i] = static_cast<float>(cells.size());
        by[i] = divisors.of(w);
        most = std::max(most, cells.size());
      }
      pool_uneven(group, self, {d, h}, counts, by, most, first);
    }
  }

 private:
  static constexpr int kVectors = 2;  // of windows at a time, where all are alike

  template <int kCount>
  struct Group {
    const T* lines[kCount * kLines];  // the first tap of each window
    T* to[kCount * kLines];
    std::int64_t count;
  };
  struct Rows {
    Span d, h;
  };

  const T* first_tap(const RowPlace& at) const {
    return at.template self<T>(p_) + at.d * p_.d.stride * p_.self.d + at.h * p_.h.stride * p_.self.h;
  }

  // Lines are read a piece of each at a time, which no processor foresees.
  void prefetch_behind(const T* first) const {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    const T* ahead = first + kAhead;
    for (std::int64_t i = 0; i < kVectors * kLines * taps_; i += kLine) hwy::Prefetch(ahead + i);
  }

  void pool_alike(Group<kVectors>& group) const {
    constexpr std::int64_t kAll = kVectors * kLines;
    // Where the last group has too few, some windows are summed twice.
    for (std::int64_t i = group.count; i < kAll; ++i) group.lines[i] = group.lines[0];
    const std::int64_t last = (p_.d.kernel - 1) * p_.self.d + (p_.h.kernel - 1) * p_.self.h;
    bool before = false;
    if (p_.w.kernel < kQuad) {
      const auto [least, most] = std::minmax_element(group.lines, group.lines + kAll);
      if (*most + last + kQuad > end_) {
        if (*least - kQuad < begin_) return pool_each(group);
        before = true;
      }
    }
    const Lines d;
    hn::Vec<Lines> sums[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t i = 0; i < p_.d.kernel; ++i)
      for (std::int64_t j = 0; j < p_.h.kernel; ++j)
        add_lines_of(sums, group.lines, i * p_.self.d + j * p_.self.h, p_.w.kernel, before);
    const auto by = hn::Set(d, static_cast<float>(p_.divisor.given[0]));
    for (auto& sum : sums) sum = hn::Div(sum, by);
    store(group, sums);
  }

  void pool_uneven(const Group<1>& group, const T* self, const Rows& rows, const float* counts,
                   const float* by, std::int64_t most, std::int64_t first) const {
    const std::int64_t down = (rows.d.size() - 1) * p_.self.d + (rows.h.size() - 1) * p_.self.h;
    const std::int64_t read = (most + kQuad - 1) / kQuad * kQuad;
    // Behind its end a row of a dense tensor is followed by others.
    const T* row_end = self + (rows.d.end - 1) * p_.self.d + (rows.h.end - 1) * p_.self.h + p_.w.in;
    const T* limit = end_ != nullptr ? end_ : row_end;
    if (group.lines[kLines - 1] + down + read > limit) {
      for (std::int64_t i = 0; i < group.count; ++i)
        *group.to[i] = rounded<T>(window_sum(p_.self, self, rows.d, rows.h, p_.w.cells(first + i)) / by[i]);
      return;
    }
    const Lines d;
    hn::Vec<Lines> sums[1] = {hn::Zero(d)};
    for (std::int64_t i = 0; i < rows.d.size(); ++i) {
      for (std::int64_t j = 0; j < rows.h.size(); ++j) {
        sums[0] =
            add_lines_of(sums[0], group.lines, i * p_.self.d + j * p_.self.h, hn::LoadU(d, counts), most);
      }
    }
    sums[0] = hn::Div(sums[0], hn::LoadU(d, by));
    store(group, sums);
  }

  void pool_each(const Group<kVectors>& group) const {
    for (std::int64_t i = 0; i < group.count; ++i) {
      const float sum =
          window_sum(p_.self, group.lines[i], {0, p_.d.kernel}, {0, p_.h.kernel}, {0, p_.w.kernel});
      *group.to[i] = rounded<T>(sum / static_cast<float>(p_.divisor.given[0]));
    }
  }

  template <int kCount>
  void store(const Group<kCount>& group, const hn::Vec<Lines> (&values)[kCount]) const {
    alignas(64) T stored[kCount * kLines];
    for (int v = 0; v < kCount; ++v) store_sums(Lines(), values[v], stored + v * kLines);
    for (std::int64_t i = 0; i < group.count; ++i) *group.to[i] = stored[i];
  }

  static constexpr std::int64_t kAhead = 4096 / sizeof(T);

  const Plan& p_;
  const std::int64_t taps_ = most_taps(p_);
  // The whole tensor, where it has no gaps.
  const T* begin_ = nullptr;
  const T* end_ = nullptr;
};

void pool_boxes(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const std::int64_t rows = plan.n * plan.c * plan.d.out * plan.h.out;
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    const Boxes<T> boxes(plan);
    if (are_alike(plan)) {
      for_each_range(workers, {.count = rows * plan.w.out, .elements = most_taps(plan), .multiple = kLines},
                     [&](std::int64_t begin, std::int64_t end) HWY_ATTR { boxes.pool_windows(begin, end); });
      return;
    }
    for_each_range(workers, {.count = rows, .elements = most_taps(plan) * plan.w.out},
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                     for (std::int64_t row = begin; row < end; ++row) boxes.pool_row(row);
                   });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::boxes {

const char* why_not(const Plan& given) {
  const Plan plan = with_even_windows(given);
  if (plan.self.w != 1) return "rows are not contiguous";
  if (has_long_sums(plan)) return "windows have more than 64 taps";
  const Size3 in{plan.d.in, plan.h.in, plan.w.in};
  const bool dense = is_dense(plan.self, plan.n, plan.c, in);
  if (are_alike(plan))
    return plan.w.kernel >= 4 || dense ? nullptr : "rows have gaps, and windows short ones";
  if (plan.w.out < 4) return "windows differ, and there are few in a row";
  return nullptr;
}

CAIRN_RUN_KERNEL(pool_boxes)

}  // namespace cairn::mean_pool::boxes
#endif
