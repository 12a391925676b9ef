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
#include "ops/mean_pool/cpu/picked_rows-inl.h"

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

  // Whether rows of windows fill most of a vector: then each begins one, and cells are read as they lie. One
  // thread of an EPYC, least ms with it and without: g2-56to7 FLOAT 1.9 and 6.5, FLOAT16 1.9 and 4.4. Two of
  // a Xeon, in several runs: 2.4 to 2.6 and 3.4, 1.8 to 2.3 and 2.1.
  bool rows_fill_vectors() const {
    const std::int64_t lanes = (p_.w.out + kLines - 1) / kLines * kLines;
    return p_.w.out * 4 >= lanes * 3;
  }

  // Planes of one window each that lie evenly: where it begins needs no counting. One thread of an EPYC,
  // least ms with it and without: g2-global7 FLOAT16 0.87 and 1.12; FLOAT, which waits for memory, level.
  bool planes_are_windows() const {
    return p_.d.out * p_.h.out * p_.w.out == 1 &&
           (p_.n == 1 || (p_.self.n == p_.c * p_.self.c && p_.values.n == p_.c * p_.values.c));
  }
  void pool_planes(std::int64_t begin, std::int64_t end) const {
    const auto* self = static_cast<const T*>(p_.self.data);
    auto* values = static_cast<T*>(p_.values.data);
    for (std::int64_t plane = begin; plane < end; plane += kVectors * kLines) {
      Group<kVectors> group;
      for (std::int64_t i = 0; i < kVectors * kLines; ++i) {
        const std::int64_t there = std::min(plane + i, end - 1);
        group.lines[i] = self + there * p_.self.c;
        group.to[i] = plane + i < end ? values + there * p_.values.c : nullptr;
      }
      pool_alike(group);
    }
  }

  // Windows, counted over all planes. With `by_rows` they are whole rows.
  void pool_windows(std::int64_t begin, std::int64_t end, bool by_rows) const {
    std::int64_t w = begin % p_.w.out;
    RowPlace at(p_, begin / p_.w.out);
    const T* tap = first_tap(at) + w * p_.w.stride;
    T* to = at.template values<T>(p_) + w * p_.values.w;
    for (std::int64_t window = begin; window < end;) {
      Group<kVectors> group;
      for (std::int64_t i = 0; i < kVectors * kLines; ++i) {
        const bool begins_row = i > 0 && w == 0;
        if (window == end || (by_rows && begins_row && i % kLines != 0)) {
          group.add_none(i);
          continue;
        }
        group.lines[i] = tap;
        group.to[i] = to;
        tap += p_.w.stride;
        to += p_.values.w;
        ++window;
        if (++w < p_.w.out) continue;
        w = 0;
        at.step(p_);
        tap = first_tap(at);
        to = at.template values<T>(p_);
      }
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
      const std::int64_t count = std::min(kLines, p_.w.out - first);
      alignas(64) float counts[kLines], by[kLines];
      std::int64_t most = 0;
      for (std::int64_t i = 0; i < kLines; ++i) {
        const std::int64_t w = std::min(first + i, p_.w.out - 1);
        const Span cells = p_.w.cells(w);
        group.lines[i] = self + d.begin * p_.self.d + h.begin * p_.self.h + cells.begin;
        group.to[i] = i < count ? at.template values<T>(p_) + w * p_.values.w : nullptr;
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
    T* to[kCount * kLines];           // null where there is none

    // Where there are too few, a window is summed twice.
    void add_none(std::int64_t i) {
      lines[i] = lines[i - 1];
      to[i] = nullptr;
    }
  };
  struct Rows {
    Span d, h;
  };

  const T* first_tap(const RowPlace& at) const {
    return at.template self<T>(p_) + at.d * p_.d.stride * p_.self.d + at.h * p_.h.stride * p_.self.h;
  }

  void pool_alike(const Group<kVectors>& group) const {
    constexpr std::int64_t kAll = kVectors * kLines;
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
    // Lines are read a piece of each at a time, which no processor foresees. As many cells are prefetched as
    // were added: more at once would have to wait for each other.
    const auto* ahead = reinterpret_cast<const char*>(group.lines[0]) + kAhead;
    const auto prefetch = [&](std::int64_t terms) HWY_ATTR {
      constexpr std::int64_t kCacheLine = 64;
      const char* end = ahead + terms * kAll * std::int64_t{sizeof(T)};
      for (; ahead < end; ahead += kCacheLine) hwy::Prefetch(ahead);
    };
    for (std::int64_t i = 0; i < p_.d.kernel; ++i)
      for (std::int64_t j = 0; j < p_.h.kernel; ++j)
        add_lines_of(sums, group.lines, i * p_.self.d + j * p_.self.h, p_.w.kernel, before, prefetch);
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
      for (std::int64_t i = 0; i < kLines && group.to[i] != nullptr; ++i)
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
    for (std::int64_t i = 0; i < kVectors * kLines; ++i) {
      if (group.to[i] == nullptr) continue;
      const float sum =
          window_sum(p_.self, group.lines[i], {0, p_.d.kernel}, {0, p_.h.kernel}, {0, p_.w.kernel});
      *group.to[i] = rounded<T>(sum / static_cast<float>(p_.divisor.given[0]));
    }
  }

  template <int kCount>
  void store(const Group<kCount>& group, const hn::Vec<Lines> (&values)[kCount]) const {
    alignas(64) T stored[kCount * kLines];
    for (int v = 0; v < kCount; ++v) store_sums(Lines(), values[v], stored + v * kLines);
    for (std::int64_t i = 0; i < kCount * kLines; ++i) {
      if (group.to[i] != nullptr) *group.to[i] = stored[i];
    }
  }

  static constexpr std::int64_t kAhead = 8192;  // bytes

  const Plan& p_;
  // The whole tensor, where it has no gaps.
  const T* begin_ = nullptr;
  const T* end_ = nullptr;
};

void pool_boxes(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const std::int64_t rows = plan.n * plan.c * plan.d.out * plan.h.out;
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
#if HWY_TARGET <= HWY_AVX3
    if constexpr (sizeof(T) == 2) {
      if (are_alike(plan) && PickedRows<T>::takes(plan)) {
        const PickedRows<T> picked(plan);
        for_each_range(workers, {.count = rows, .elements = most_taps(plan) * plan.w.out},
                       [&](std::int64_t begin, std::int64_t end) HWY_ATTR { picked.pool(begin, end); });
        return;
      }
    }
#endif
    const Boxes<T> boxes(plan);
    if (are_alike(plan)) {
      const bool by_rows = boxes.rows_fill_vectors();
      const std::int64_t together = by_rows ? plan.w.out : 1;
      for_each_range(workers,
                     {.count = rows * plan.w.out / together,
                      .elements = most_taps(plan) * together,
                      .multiple = by_rows ? 1 : kLines},
                     [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                       if (boxes.planes_are_windows()) return boxes.pool_planes(begin, end);
                       boxes.pool_windows(begin * together, end * together, by_rows);
                     });
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
