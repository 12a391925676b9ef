// Windows of three cells along W, one or two apart: neighbours in a vector. A vector of cells is read once
// for all windows that have them, and what windows miss at the edges of a row is zeros, so that edges are
// vectors too.

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "ops/candidate.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/reciprocal.h"
#include "ops/mean_pool/cpu/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool/cpu/threes.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr std::int64_t kWidth{hn::MaxLanes(D())};

// Lanes 1 and up of `low`, then the first of `high`.
HWY_INLINE V one_on(V high, V low) {
#if HWY_TARGET <= HWY_AVX3
  return V{_mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(high.raw), _mm512_castps_si512(low.raw), 1))};
#else
  const D d;
  if constexpr (kWidth == 4)
    return hn::CombineShiftRightBytes<4>(d, high, low);
  else
    return hn::CombineShiftRightBytes<4>(d, hn::ConcatLowerUpper(d, high, low), low);
#endif
}
// The last lane of `low`, then those of `high` but its last.
HWY_INLINE V one_back(V high, V low) {
#if HWY_TARGET <= HWY_AVX3
  return V{_mm512_castsi512_ps(
      _mm512_alignr_epi32(_mm512_castps_si512(high.raw), _mm512_castps_si512(low.raw), 15))};
#else
  const D d;
  if constexpr (kWidth == 4)
    return hn::CombineShiftRightBytes<12>(d, high, low);
  else
    return hn::CombineShiftRightBytes<12>(d, high, hn::ConcatLowerUpper(d, high, low));
#endif
}

// Rows of windows at a time, and vectors of each: as many sums as there is room for in registers.
constexpr int kRows = HWY_TARGET <= HWY_AVX3 ? 4 : 2;
constexpr int kVectors = 2;

// What a row of windows is divided by, and the parts of its reciprocals.
class DivisorLine {
 public:
  DivisorLine(const RowDivisors<float>& divisors, std::int64_t windows)
      : first_(divisors.of(0)),
        last_(divisors.of(windows - 1)),
        pitch_((windows + kWidth - 1) / kWidth * kWidth),
        // Without an addition to a product in one step, products are no quotients.
        has_products_(HWY_TARGET <= HWY_AVX2) {
    grow(lines_, 3 * pitch_);
    std::fill(lines_.begin(), lines_.end(), 1.0F);
    for (std::int64_t w = 0; w < windows; ++w) {
      const float by = divisors.of(w);
      const SplitReciprocal parts(by);
      lines_[static_cast<std::size_t>(w)] = by;
      lines_[static_cast<std::size_t>(w + pitch_)] = parts.high;
      lines_[static_cast<std::size_t>(w + 2 * pitch_)] = parts.low;
      has_products_ = has_products_ && SplitReciprocal::takes(static_cast<double>(by));
    }
  }
  // Rows differ by how many rows of cells their windows have.
  bool is_of(const RowDivisors<float>& divisors, std::int64_t windows) const {
    return divisors.of(0) == first_ && divisors.of(windows - 1) == last_;
  }
  bool has_products() const { return has_products_; }

  HWY_INLINE V quotient(V sum, std::int64_t window) const {
    return hn::Div(sum, hn::Load(D(), lines_.data() + window));
  }
  HWY_INLINE V products(V sum, std::int64_t window) const {
    const float* high = lines_.data() + pitch_ + window;
    return hn::MulAdd(sum, hn::Load(D(), high), hn::Mul(sum, hn::Load(D(), high + pitch_)));
  }

 private:
  float first_, last_;
  std::int64_t pitch_;
  bool has_products_;
  Aligned<float> lines_;
};

// Those of rows inside and of rows at the edges: they come again with every plane.
class DivisorLines {
 public:
  explicit DivisorLines(const Plan& plan) : p_(plan) { lines_.reserve(kMost); }

  // Before the lines of so many rows: they stay until the next call.
  void expect(std::size_t rows) {
    if (lines_.size() + rows > kMost) lines_.clear();
  }
  const DivisorLine* of(std::int64_t d, std::int64_t h) {
    const RowDivisors<float> divisors(p_, d, h);
    for (const DivisorLine& line : lines_)
      if (line.is_of(divisors, p_.w.out)) return &line;
    return &lines_.emplace_back(divisors, p_.w.out);
  }

 private:
  static constexpr std::size_t kMost = 16;

  const Plan& p_;
  std::vector<DivisorLine> lines_;
};

// Whether any of some sums is too small for products: not zero, but below 2^-80. Zero less one is the largest
// number there is, so a minimum is enough. No sum of FLOAT16 is that small.
template <typename T>
class SmallSums {
 public:
  // Declared here, so that it is compiled for the target: gcc makes an implicit one for the baseline.
  HWY_INLINE SmallSums() : least_(hn::Set(hn::RebindToUnsigned<D>(), ~std::uint32_t{0})) {}
  HWY_INLINE void look_at(V sum) {
    if constexpr (!std::is_same_v<T, Float16>) {
      const hn::RebindToUnsigned<D> du;
      const auto magnitude = hn::ShiftLeft<1>(hn::BitCast(du, sum));
      least_ = hn::Min(least_, hn::Sub(magnitude, hn::Set(du, 1)));
    }
  }
  HWY_INLINE bool any() const {
    if constexpr (std::is_same_v<T, Float16>) return false;
    const hn::RebindToUnsigned<D> du;
    constexpr std::uint32_t kLeast = (127 - 80) << 24;
    return !hn::AllFalse(du, hn::Lt(least_, hn::Set(du, kLeast - 1)));
  }

 private:
  hn::Vec<hn::RebindToUnsigned<D>> least_;
};

template <typename T, int kStride>
class Threes {
 public:
  Threes(const Plan& plan, bool streams)
      : p_(plan), streams_(streams), rows_ahead_(rows_ahead(plan.h.stride, plan.self.h)), divisors_(plan) {}

  void pool(std::int64_t begin, std::int64_t end) {
    RowPlace at(p_, begin);
    for (std::int64_t row = begin; row < end;) {
      const std::int64_t rows = std::min({std::int64_t{kRows}, end - row, p_.h.out - at.h});
      pool_rows_of(at, rows);
      row += rows;
      at.step(p_, rows);
    }
    if (streams_) hwy::FlushStream();
  }

 private:
  static constexpr std::int64_t kLine = 64 / sizeof(T);

  // Blocks of a few rows are read in an order that no processor foresees: the rows that windows below have
  // are prefetched, as far away that memory is there in time. Two threads of an EPYC, least ms with that and
  // without, 400 planes of 128x256, stride 2: FLOAT 0.83 and 2.4, FLOAT16 0.57 and 0.70; 16 volumes of
  // 128x128x96: 2.8 and 5.0, 1.5 and 3.1; 4000 planes of 64x128, stride 1: FLOAT 4.7 and 6.7, FLOAT16, whose
  // additions take longer than memory does, 4.0 and 3.7.
  static std::int64_t rows_ahead(std::int64_t stride, std::int64_t pitch) {
    constexpr std::int64_t kAhead = 4096 / sizeof(T);
    const std::int64_t rows = kRows * stride;
    const std::int64_t step = std::max<std::int64_t>(rows * pitch, 1);
    return (kAhead + step - 1) / step * rows;
  }

  void pool_rows_of(const RowPlace& at, std::int64_t rows) {
    plane_ = at.self<T>(p_);
    in_d_ = p_.d.cells(at.d);
    in_h_ = {p_.h.in, 0};
    bool aligned = streams_ && p_.w.out % kLine == 0;
    divisors_.expect(kRows);
    for (std::int64_t r = 0; r < kRows; ++r) {
      Row& row = rows_[r];
      row.cells = r < rows ? p_.h.cells(at.h + r) : Span{0, 0};
      if (r >= rows) continue;
      in_h_ = {std::min(in_h_.begin, row.cells.begin), std::max(in_h_.end, row.cells.end)};
      row.divisors = divisors_.of(at.d, at.h + r);
      row.to = at.values<T>(p_) + r * p_.values.h;
      aligned = aligned && reinterpret_cast<std::uintptr_t>(row.to) % 64 == 0;
    }
    // Slices that are read together end together: what comes then are the rows of those behind them.
    ahead_ = rows_ahead_ * p_.self.h;
    if (in_h_.begin + rows_ahead_ >= p_.h.in && at.d + 1 < p_.d.out)
      ahead_ += p_.d.stride * p_.self.d - p_.h.in * p_.self.h;
    // The cell in the middle of a window, and the windows whose vectors end before the row does.
    const auto middle = [&](std::int64_t window) { return window * kStride - p_.w.padding + 1; };
    const auto are_whole = [&](std::int64_t end) { return end <= p_.w.out && middle(end) <= p_.w.in; };
    std::int64_t window = 0;
    for (; are_whole(window + kVectors * kWidth); window += kVectors * kWidth) {
      if (aligned)
        pool_vectors<kVectors, true, Streamed>(window, middle(window), rows);
      else
        pool_vectors<kVectors, true, Stored>(window, middle(window), rows);
    }
    if (are_whole(window + kWidth)) {
      if (aligned && kWidth % kLine == 0)
        pool_vectors<1, true, Streamed>(window, middle(window), rows);
      else
        pool_vectors<1, true, Stored>(window, middle(window), rows);
      window += kWidth;
    }
    for (; window < p_.w.out; window += kWidth) pool_vectors<1, false, Stored>(window, middle(window), rows);
  }

  // Cell `cell` of a row in all lanes, or zero: an addition of that changes no sum, for none is -0.0.
  HWY_INLINE V lone(const T* row, std::int64_t cell) const {
    const D d;
    if (cell < 0 || cell >= p_.w.in) return hn::Zero(d);
    if constexpr (sizeof(T) == 4) {
      return hn::Set(d, row[cell]);
    } else {
      return widen_half<T>(d, hn::Set(HalfBits<D>(), *reinterpret_cast<const std::uint16_t*>(row + cell)));
    }
  }

  template <int kCount, bool kWhole, class Put>
  HWY_INLINE void pool_vectors(std::int64_t window, std::int64_t middle, std::int64_t rows) const {
    const D d;
    V sums[kRows][kCount];
    for (auto& row : sums)
      for (V& sum : row) sum = hn::Zero(d);
    for (std::int64_t i = in_d_.begin; i < in_d_.end; ++i) {
      const T* row = plane_ + i * p_.self.d + in_h_.begin * p_.self.h;
      for (std::int64_t j = in_h_.begin; j < in_h_.end; ++j, row += p_.self.h) {
        prefetch<kCount>(row + middle);
        V taps[3][kCount];
        load_taps<kWhole>(row, middle, taps);
        for (int r = 0; r < kRows; ++r) {
          if (j < rows_[r].cells.begin || j >= rows_[r].cells.end) continue;
          for (const auto& tap : taps)
            for (int v = 0; v < kCount; ++v) sums[r][v] = hn::Add(sums[r][v], tap[v]);
        }
      }
    }
    SmallSums<T> small;
    for (const auto& row : sums)
      for (const V& sum : row) small.look_at(sum);
    const bool any_small = small.any();
    for (int r = 0; r < kRows; ++r) {
      if (r >= rows) break;
      const Row& row = rows_[r];
      const bool by_products = row.divisors->has_products() && !any_small;
      for (int v = 0; v < kCount; ++v) {
        const std::int64_t at = window + v * kWidth;
        const V means =
            by_products ? row.divisors->products(sums[r][v], at) : row.divisors->quotient(sums[r][v], at);
        if (kWhole || at + kWidth <= p_.w.out) {
          Put::put(d, means, row.to + at);
        } else if (at < p_.w.out) {
          alignas(64) T last[kWidth];
          store_sums(d, means, last);
          std::copy_n(last, p_.w.out - at, row.to + at);
        }
      }
    }
  }

  template <int kCount>
  HWY_INLINE void prefetch(const T* cells) const {
    for (std::int64_t i = 0; i < kCount * kWidth * kStride; i += kLine) hwy::Prefetch(cells + ahead_ + i);
  }

  template <bool kWhole, int kCount>
  HWY_INLINE void load_taps(const T* row, std::int64_t middle, V (&taps)[3][kCount]) const {
    V before = lone(row, middle - 1);
    if constexpr (kStride == 1) {
      for (int v = 0; v < kCount; ++v) taps[1][v] = load<kWhole>(row, middle + v * kWidth);
      const V behind = lone(row, middle + kCount * kWidth);
      for (int v = 0; v < kCount; ++v) {
        taps[0][v] = one_back(taps[1][v], v == 0 ? before : taps[1][v == 0 ? 0 : v - 1]);
        taps[2][v] = one_on(v + 1 == kCount ? behind : taps[1][v + 1 == kCount ? v : v + 1], taps[1][v]);
      }
    } else {
      for (int v = 0; v < kCount; ++v) {
        load_two<kWhole>(row, middle + std::int64_t{2} * v * kWidth, taps[1][v], taps[2][v]);
        taps[0][v] = one_back(taps[2][v], before);
        before = taps[2][v];
      }
    }
  }

  template <bool kWhole>
  HWY_INLINE V load(const T* row, std::int64_t cell) const {
    return kWhole ? load_float(D(), row + cell) : load_first(D(), row + cell, p_.w.in - cell);
  }
  template <bool kWhole>
  HWY_INLINE void load_two(const T* row, std::int64_t cell, V& even, V& odd) const {
    const D d;
    if constexpr (kWhole && std::is_same_v<T, Bfloat16>) {
      load_pairs(d, row + cell, even, odd);
    } else {
      const V low = load<kWhole>(row, cell);
      const V high = load<kWhole>(row, cell + kWidth);
      even = hn::ConcatEven(d, high, low);
      odd = hn::ConcatOdd(d, high, low);
    }
  }

  struct Row {
    Span cells{0, 0};
    const DivisorLine* divisors = nullptr;
    T* to = nullptr;
  };

  const Plan& p_;
  const bool streams_;
  const std::int64_t rows_ahead_;
  std::int64_t ahead_ = 0;  // in elements
  const T* plane_ = nullptr;
  Span in_d_{0, 0}, in_h_{0, 0};
  DivisorLines divisors_;
  Row rows_[kRows];
};
#endif

void pool_threes(const Plan& given, Workers& workers) {
#if HWY_TARGET == HWY_SCALAR
  (void)given, (void)workers;
#else
  const Plan plan = with_even_windows(given);
  const Units rows{.count = plan.n * plan.c * plan.d.out * plan.h.out,
                   .elements = plan.d.most_cells() * plan.h.most_cells() * plan.w.in};
  const bool streams = streams_past_cache(bytes_touched(plan));
  with_float_type(plan.type, [&]<typename T>() HWY_ATTR {
    for_each_range(workers, rows, [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
      if (plan.w.stride == 1)
        Threes<T, 1>(plan, streams).pool(begin, end);
      else
        Threes<T, 2>(plan, streams).pool(begin, end);
    });
  });
#endif
}

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool::threes {

const char* why_not(const Plan& given) {
  if (float_lanes() == 1) return "this instruction set has no vectors";
  const Plan plan = with_even_windows(given);
  if (plan.self.w != 1 || plan.values.w != 1) return "rows are not contiguous";
  if (plan.w.kernel != 3 || plan.w.stride > 2 || plan.w.padding > 1)
    return "windows are not three cells along W, one or two apart";
  if (has_long_sums(plan)) return "windows have more than 64 taps";
  if (plan.w.out < 8) return "there are few windows in a row";
  // Rows of windows are taken a few at a time, and all rows of cells from the first to the last of them read.
  if (plan.h.out > 1 && plan.h.stride > plan.h.kernel) return "there are rows of cells between windows";
  return nullptr;
}

CAIRN_RUN_KERNEL(pool_threes)

}  // namespace cairn::mean_pool::threes
#endif
