// Windows one or two cells apart along W, with at most 64 taps: neighbouring windows in a vector, each of
// which takes its taps in order.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "ops/candidate.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/rows.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

// The rows of a window, first tap of window 0 each; windows lie `kStride` apart.
template <typename T, int kStride>
class RowOfWindows {
 public:
  RowOfWindows(const Plan& plan, const RowPlace& at, std::int64_t ahead, StreamWriter& writer)
      : p_(plan),
        at_(at),
        divisors_(plan, at_.d, at_.h),
        values_(at_.template values<T>(plan)),
        ahead_(ahead),
        writer_(writer) {
    const T* self = at_.template self<T>(plan);
    const Span d = plan.d.cells(at_.d);
    const Span h = plan.h.cells(at_.h);
    for (std::int64_t i = d.begin; i < d.end; ++i) {
      for (std::int64_t j = h.begin; j < h.end; ++j) {
        is_last_[count_] = j + plan.h.stride >= h.end;
        rows_[count_++] = self + i * plan.self.d + j * plan.self.h;
      }
    }
  }

  void pool() {
    const MeanAxis& w = p_.w;
    // Of rows as long as a piece, those of windows that do not overlap gain: a3-unet 7.9 ms, 6.1 with it.
    // Those of windows one apart lose.
    if (kStride == 2 && (w.in > kPieceCells || (w.in == kPieceCells && w.kernel <= kStride))) prefetch_rows();
    // The windows that have all of their kernel, and nothing of what lies behind the row.
    const std::int64_t first = std::min((w.padding + kStride - 1) / kStride, w.out);
    const std::int64_t room = w.in + w.padding - w.kernel;
    const std::int64_t last = room < 0 ? 0 : std::min(w.out, room / kStride + 1);
    if (first == 0 && last == w.out && w.out % kLanes == 0 && writer_.takes_lines(values_, w.out)) {
      to_ = values_;
      return pool_inner<Streamed>(0, w.out);
    }
    const bool whole = last - first >= kFew;
    for (std::int64_t begin = 0; begin < w.out; begin += kPiece) {
      const std::int64_t end = std::min(begin + kPiece, w.out);
      // As if the row of values began here.
      to_ = writer_.room(values_ + begin, end - begin) - begin;
      const std::int64_t inner = std::clamp(first, begin, end);
      const std::int64_t outer = std::clamp(last, begin, end);
      if (!whole || outer - inner < kFew) {
        pool_each(begin, end);
        continue;
      }
      pool_each(begin, inner);
      if (outer - inner >= kLanes)
        pool_inner<Stored>(inner, outer);
      else
        pool_few(inner, outer);
      pool_each(outer, end);
    }
  }

 private:
  using D = hn::ScalableTag<float>;
  using Few = hn::CappedTag<float, 8>;
  static constexpr std::int64_t kLanes{hn::MaxLanes(D())};
  static constexpr std::int64_t kFew{hn::MaxLanes(Few())};

  static constexpr std::int64_t kPieceCells = 4 * kLanes * kStride;  // of a row, read at a time
  static constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(T);

  template <class Put>
  void pool_inner(std::int64_t begin, std::int64_t end) {
    const float divisor = divisors_.of(begin);
    std::int64_t o = begin;
    for (; o + 4 * kLanes <= end; o += 4 * kLanes) pool_vectors<4, Put>(D(), o, divisor);
    if (std::is_same_v<Put, Stored> && end - o > kLanes) return pool_rest(begin, o, end, divisor);
    for (; o + kLanes <= end; o += kLanes) pool_vectors<1, Put>(D(), o, divisor);
    if (o < end) pool_vectors<1, Put>(D(), end - kLanes, divisor);
  }

  // More than one vector and less than four, together: while an addition of one ends those of others go on.
  // They may sum windows in front of `o` again.
  HWY_INLINE void pool_rest(std::int64_t begin, std::int64_t o, std::int64_t end, float divisor) {
    if (end - o > 3 * kLanes && end - begin >= 4 * kLanes)
      return pool_vectors<4, Stored>(D(), end - 4 * kLanes, divisor);
    if (end - o > 3 * kLanes) {
      pool_vectors<1, Stored>(D(), o, divisor);
      return pool_vectors<3, Stored>(D(), end - 3 * kLanes, divisor);
    }
    if (end - o > 2 * kLanes && end - begin >= 3 * kLanes)
      return pool_vectors<3, Stored>(D(), end - 3 * kLanes, divisor);
    pool_vectors<1, Stored>(D(), o, divisor);
    pool_vectors<1, Stored>(D(), end - o > 2 * kLanes ? o + kLanes : end - kLanes, divisor);
    if (end - o > 2 * kLanes) pool_vectors<1, Stored>(D(), end - kLanes, divisor);
  }

  // The rows that windows further down have and these have not. Of long ones a piece is read at a time, in
  // turn with pieces of others, which the processor does not foresee.
  HWY_INLINE void prefetch_rows() const {
    constexpr std::int64_t kLine = 64 / sizeof(T);
    for (std::int64_t i = 0; i < count_; ++i) {
      if (!is_last_[i]) continue;
      for (std::int64_t w = 0; w < p_.w.in; w += kLine) hwy::Prefetch(rows_[i] + ahead_ + w);
    }
  }

  // Fewer than a vector of 16 has, which otherwise are summed one by one. One thread of an EPYC, FLOAT, us
  // with it and without, 64k cells in planes of as many windows: 8x8, k2s2 36 and 81; 14x14, k2s1 66 and 290,
  // k5s1 249 and 647. Both vectors may sum windows of the other again.
  HWY_INLINE void pool_few(std::int64_t begin, std::int64_t end) {
    const float divisor = divisors_.of(begin);
    pool_vectors<1, Stored>(Few(), begin, divisor);
    if (end - begin > kFew) pool_vectors<1, Stored>(Few(), end - kFew, divisor);
  }

  template <int kVectors, class Put, class V>
  HWY_INLINE void pool_vectors(V d, std::int64_t o, float divisor) {
    hn::Vec<V> sums[kVectors];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (std::int64_t i = 0; i < count_; ++i) add_row(d, rows_[i] + o * kStride - p_.w.padding, sums);
    const auto by = hn::Set(d, divisor);
    constexpr std::int64_t kWidth{hn::MaxLanes(V())};
    for (int v = 0; v < kVectors; ++v) Put::put(d, hn::Div(sums[v], by), to_ + o + v * kWidth);
  }

  template <int kVectors, class V>
  HWY_INLINE void add_row(V d, const T* row, hn::Vec<V> (&sums)[kVectors]) const {
    constexpr std::int64_t kWidth{hn::MaxLanes(V())};
    if constexpr (kStride == 1) {
      for (std::int64_t k = 0; k < p_.w.kernel; ++k)
        for (int v = 0; v < kVectors; ++v) sums[v] = OneEach::add(d, sums[v], row + k + v * kWidth);
    } else {
      std::int64_t k = 0;
      for (; k + 1 < p_.w.kernel; k += 2)
        for (int v = 0; v < kVectors; ++v) sums[v] = TwoEach::add(d, sums[v], row + k + 2 * kWidth * v);
      // The pair before has the last tap second, so that nothing behind it is read.
      if (k < p_.w.kernel) {
        for (int v = 0; v < kVectors; ++v) {
          hn::Vec<V> even, odd;
          load_second(d, row + k - 1 + 2 * kWidth * v, even, odd);
          sums[v] = hn::Add(sums[v], odd);
        }
      }
    }
  }

  template <class V>
  static HWY_INLINE void load_second(V d, const T* from, hn::Vec<V>& even, hn::Vec<V>& odd) {
    if constexpr (hn::MaxLanes(V()) == 1) {
      odd = load_float(d, from + 1);
    } else {
      load_pairs(d, from, even, odd);
    }
  }

  // Those at the edges, as the definition reads.
  void pool_each(std::int64_t begin, std::int64_t end) {
    const hn::CappedTag<float, 1> one;
    for (std::int64_t o = begin; o < end; ++o) {
      const Span w = p_.w.cells(o);
      float sum = 0;
      for (std::int64_t i = 0; i < count_; ++i)
        for (std::int64_t k = w.begin; k < w.end; ++k) sum += hn::GetLane(load_float(one, rows_[i] + k));
      to_[o] = rounded<T>(sum / divisors_.of(o));
    }
  }

  const Plan& p_;
  const RowPlace& at_;
  const RowDivisors<float> divisors_;
  T* const values_;
  const std::int64_t ahead_;
  StreamWriter& writer_;
  T* to_ = nullptr;
  const T* rows_[long_sum::kLanes];
  bool is_last_[long_sum::kLanes];  // of the slice: the windows below have another in its place
  std::int64_t count_ = 0;
};

void pool_rows(const Plan& given, Workers& workers) {
  const Plan plan = with_even_windows(given);
  const Units rows{.count = plan.n * plan.c * plan.d.out * plan.h.out,
                   .elements = plan.d.most_cells() * plan.h.most_cells() * plan.w.in};
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      // Where windows overlap, sums take longer than memory does.
      StreamWriter writer(plan.w.kernel <= plan.w.stride && streams_past_cache(bytes_touched(plan)));
      // Rows of windows further down by so much that memory is there in time.
      constexpr std::int64_t kAhead = 4096 / sizeof(T);
      const std::int64_t step = std::max<std::int64_t>(plan.h.stride * plan.self.h, 1);
      const std::int64_t ahead = (kAhead + step - 1) / step * step;
      RowPlace at(plan, begin);
      for (std::int64_t row = begin; row < end; ++row, at.step(plan)) {
        if (plan.w.stride == 1)
          RowOfWindows<T, 1>(plan, at, ahead, writer).pool();
        else
          RowOfWindows<T, 2>(plan, at, ahead, writer).pool();
      }
    });
  });
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::rows {

const char* why_not(const Plan& given) {
  const Plan plan = with_even_windows(given);
  if (plan.self.w != 1 || plan.values.w != 1) return "rows are not contiguous";
  if (plan.w.is_adaptive() || plan.w.stride > 2 || (plan.w.stride == 2 && plan.w.kernel < 2))
    return "windows are not one or two cells apart";
  if (has_long_sums(plan)) return "windows have more than 64 taps";
  if (plan.w.out < 8) return "there are few windows in a row";
  return nullptr;
}

CAIRN_RUN_KERNEL(pool_rows)

}  // namespace cairn::mean_pool::rows
#endif
