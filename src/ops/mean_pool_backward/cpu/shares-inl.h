// What windows give each of their cells, and the sums of it.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_SHARES_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/reciprocal.h"
#include "ops/kit/window_steps.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

// Whether a product with the inverse has the bits of the quotient, and is made sooner.
template <typename Sum>
constexpr bool is_power_of_two(Sum divisor) {
  const auto whole = divisor >= 1 && divisor <= 4096 ? static_cast<std::uint64_t>(divisor) : 0;
  return std::has_single_bit(whole) && static_cast<Sum>(whole) == divisor;
}

// Neighbours divided by the same number: by a product with its inverse, by two products (reciprocal.h), which
// no FLOAT16 is too small for, or by a division.
template <typename T>
class Quotient {
 public:
  using Sum = SumOf<T>;
  using D = hn::ScalableTag<Sum>;

  // For so many neighbours in all: the parts of a reciprocal take as long as a few divisions.
  Quotient(Sum by, std::int64_t count) : by_(by), has_factor_(is_power_of_two(by)) {
    if (has_factor_) by_ = 1 / by;
    if constexpr (kMayHaveProducts) {
      constexpr std::int64_t kFew{8 * hn::MaxLanes(D())};
      has_products_ = !has_factor_ && count > kFew && SplitReciprocal::takes(static_cast<double>(by));
      if (has_products_) parts_ = SplitReciprocal(by);
    }
  }

  // Of `count` of them. What follows in `to` may be overwritten, less than a vector.
  HWY_INLINE void make_line(const T* from, std::int64_t count, Sum* HWY_RESTRICT to) const {
    const D d;
    const auto by = hn::Set(d, by_);
    if (has_factor_) return each_vector(from, count, to, [&](auto x) HWY_ATTR { return hn::Mul(x, by); });
    if constexpr (kMayHaveProducts) {
      const auto high = hn::Set(d, parts_.high);
      const auto low = hn::Set(d, parts_.low);
      if (has_products_)
        return each_vector(from, count, to,
                           [&](auto x) HWY_ATTR { return hn::MulAdd(x, high, hn::Mul(x, low)); });
    }
    each_vector(from, count, to, [&](auto x) HWY_ATTR { return hn::Div(x, by); });
  }

 private:
  // Without an addition to a product in one step, products are no quotients.
  static constexpr bool kMayHaveProducts = std::is_same_v<T, Float16> && HWY_TARGET <= HWY_AVX2;

  template <typename Divide>
  static HWY_INLINE void each_vector(const T* from, std::int64_t count, Sum* HWY_RESTRICT to,
                                     const Divide& divide) {
    const D d;
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + width <= count; i += width) hn::StoreU(divide(load_float(d, from + i)), d, to + i);
    if (i < count) hn::StoreU(divide(load_first(d, from + i, count - i)), d, to + i);
  }

  Sum by_;
  bool has_factor_, has_products_ = false;
  SplitReciprocal parts_{};
};

// The shares of rows of windows. What follows them may be overwritten, less than a vector.
template <typename T>
class ShareMaker {
 public:
  using Sum = SumOf<T>;

  explicit ShareMaker(const Plan& plan)
      : p_(plan),
        is_few_(plan.w.out < kWidth && plan.grad_output.w == 1 && plan.divisor.is_one()),
        usual_(static_cast<Sum>(plan.divisor.given[0]), plan.n * plan.c * plan.w.out) {
    if (p_.grad_output.w != 1) grow(row_, p_.w.out);
    if (!p_.divisor.by_taps) return;
    grow(taps_, p_.w.out + kWidth);
    std::fill(taps_.begin(), taps_.end(), Sum{1});
    each_window(p_.w, [&](std::int64_t w, const Span& cells) {
      taps_[static_cast<std::size_t>(w)] = static_cast<Sum>(cells.size());
    });
  }

  // Of a row of fewer windows than a vector has lanes, side by side and with one divisor; zeros behind them.
  bool has_few() const { return is_few_; }
  HWY_INLINE hn::Vec<hn::ScalableTag<Sum>> few(const T* from) const {
    const hn::ScalableTag<Sum> d;
    return hn::Div(load_first(d, from, p_.w.out), hn::Set(d, static_cast<Sum>(p_.divisor.given[0])));
  }

  // Of row (d, h), which begins at `from`.
  void make(const T* from, std::int64_t d, std::int64_t h, Sum* HWY_RESTRICT to) {
    const std::int64_t count = p_.w.out;
    if (is_few_) return hn::StoreU(few(from), hn::ScalableTag<Sum>(), to);
    for (std::int64_t w = 0; p_.grad_output.w != 1 && w < count; ++w)
      row_[at(w)] = from[w * p_.grad_output.w];
    const T* line = p_.grad_output.w == 1 ? from : row_.data();
    if (p_.divisor.by_taps) return divide_by_taps(line, p_.d.cells(d).size() * p_.h.cells(h).size(), to);
    if (p_.divisor.is_one()) return usual_.make_line(line, count, to);
    const RowDivisors<Sum> divisors(p_, d, h);
    Quotient<T>(divisors.of(0), count).make_line(line, count, to);
    if (divisors.of(count - 1) != divisors.of(0))
      to[count - 1] = widened(line[count - 1]) / divisors.of(count - 1);
  }

 private:
  static constexpr std::int64_t kWidth{hn::MaxLanes(hn::ScalableTag<Sum>())};
  static constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

  // How many taps there are is exact in float, or it is rounded once.
  void divide_by_taps(const T* line, std::int64_t others, Sum* HWY_RESTRICT to) const {
    constexpr std::int64_t kExact = std::int64_t{1} << 24;
    const hn::ScalableTag<Sum> d;
    if (others >= kExact || p_.w.most_cells() >= kExact) {
      for (std::int64_t w = 0; w < p_.w.out; ++w)
        to[w] = widened(line[w]) / static_cast<Sum>(others * p_.w.cells(w).size());
      return;
    }
    const auto factor = hn::Set(d, static_cast<Sum>(others));
    for (std::int64_t w = 0; w < p_.w.out; w += kWidth) {
      const auto shares = load_first(d, line + w, p_.w.out - w);
      hn::StoreU(hn::Div(shares, hn::Mul(factor, hn::LoadU(d, taps_.data() + w))), d, to + w);
    }
  }

  const Plan& p_;
  const bool is_few_;
  const Quotient<T> usual_;
  Aligned<T> row_;  // the windows side by side, where they are not
  Aligned<Sum> taps_;
};

// How sums take what lines have for them; `Tail` is how those at the end of a row do, one vector of them.
struct OneByOne {
  using Tail = OneByOne;
  template <int kVectors, class D, typename Sum = hn::TFromD<D>>
  static HWY_INLINE void add(D d, const Sum* const* lines, std::int64_t count, std::int64_t at,
                             hn::Vec<D> (&sums)[kVectors]) {
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t line = 0; line < count; ++line)
      for (int v = 0; v < kVectors; ++v)
        sums[v] = hn::Add(sums[v], hn::LoadU(d, lines[line] + at + v * width));
  }
};
// Each line is three: itself, from one further on, and from two.
struct InThrees {
  struct Tail {
    template <int kVectors, class D, typename Sum = hn::TFromD<D>>
    static HWY_INLINE void add(D d, const Sum* const* lines, std::int64_t count, std::int64_t at,
                               hn::Vec<D> (&sums)[kVectors]) {
      const auto width = static_cast<std::int64_t>(hn::Lanes(d));
      for (std::int64_t line = 0; line < count; ++line)
        for (std::int64_t further = at; further < at + 3; ++further)
          for (int v = 0; v < kVectors; ++v)
            sums[v] = hn::Add(sums[v], hn::LoadU(d, lines[line] + further + v * width));
    }
  };
  template <int kVectors, class D, typename Sum = hn::TFromD<D>>
  static HWY_INLINE void add(D d, const Sum* const* lines, std::int64_t count, std::int64_t at,
                             hn::Vec<D> (&sums)[kVectors]) {
    for (std::int64_t line = 0; line < count; ++line) add_three(d, lines[line] + at, sums);
  }
};

// More than 64 lines, and at most 4096: the lanes of the sum one after the other. A lane may begin with its
// first term, which the definition adds to +0.0: that of a zero is lost as the lane is added.
struct ByLanes {
  using Tail = ByLanes;
  template <int kVectors, class D, typename Sum = hn::TFromD<D>>
  static HWY_INLINE void add(D d, const Sum* const* lines, std::int64_t count, std::int64_t at,
                             hn::Vec<D> (&sums)[kVectors]) {
    const auto width = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t first = 0; first < long_sum::kLanes; ++first) {
      hn::Vec<D> lane[kVectors];
      for (int v = 0; v < kVectors; ++v) lane[v] = hn::LoadU(d, lines[first] + at + v * width);
      for (std::int64_t line = first + long_sum::kLanes; line < count; line += long_sum::kLanes)
        for (int v = 0; v < kVectors; ++v)
          lane[v] = hn::Add(lane[v], hn::LoadU(d, lines[line] + at + v * width));
      for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], lane[v]);
    }
  }
};

template <int kVectors, class Put, class Take, class D, typename T>
HWY_INLINE void sum_vectors_of(D d, const SumOf<T>* const* lines, std::int64_t count, std::int64_t at,
                               T* HWY_RESTRICT to) {
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  hn::Vec<D> sums[kVectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  Take::add(d, lines, count, at, sums);
  for (int v = 0; v < kVectors; ++v) Put::put(d, sums[v], to + at + v * width);
}

// Fewer cells than a vector has lanes.
template <class Take, class D, typename T>
HWY_INLINE void sum_few_into(D d, const SumOf<T>* const* lines, std::int64_t count, std::int64_t cells,
                             T* HWY_RESTRICT to) {
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (cells < width) return sum_few_into<Take>(hn::Half<D>(), lines, count, cells, to);
  }
  std::int64_t at = 0;
  for (; at + width <= cells; at += width) sum_vectors_of<1, Stored, Take>(d, lines, count, at, to);
  if (at < cells) sum_vectors_of<1, Stored, Take>(d, lines, count, cells - width, to);
}

// Each cell is the sum of what the lines have at its place, in their order.
template <class Put, class Take = OneByOne, typename T>
HWY_INLINE void sum_lines_into(const SumOf<T>* const* lines, std::int64_t count, std::int64_t cells,
                               T* HWY_RESTRICT to) {
  const hn::ScalableTag<SumOf<T>> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t at = 0;
  for (; at + 4 * width <= cells; at += 4 * width) sum_vectors_of<4, Put, Take>(d, lines, count, at, to);
  for (; at + width <= cells; at += width) sum_vectors_of<1, Put, Take>(d, lines, count, at, to);
  if (at < cells && cells >= width)
    return sum_vectors_of<1, Stored, typename Take::Tail>(d, lines, count, cells - width, to);
  if (at < cells) sum_few_into<typename Take::Tail>(hn::CappedTag<SumOf<T>, 8>(), lines, count, cells, to);
}

// The same through the writer. The lines are left where they end.
template <class Take = OneByOne, typename T>
HWY_INLINE void write_sums(const SumOf<T>** lines, std::int64_t count, std::int64_t cells, T* to,
                           StreamWriter& writer) {
  if (writer.takes_lines(to, cells))
    return sum_lines_into<Streamed, Take>(static_cast<const SumOf<T>* const*>(lines), count, cells, to);
  constexpr std::int64_t kPiece = StreamWriter::kRoom / sizeof(T);
  for (std::int64_t at = 0; at < cells; at += kPiece) {
    const std::int64_t piece = std::min(kPiece, cells - at);
    sum_lines_into<Stored, Take>(static_cast<const SumOf<T>* const*>(lines), count, piece,
                                 writer.room(to + at, piece));
    for (std::int64_t line = 0; line < count; ++line) lines[line] += piece;
  }
}

// An element as bits that vectors can hold.
template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

// `count` times the value; what follows may be overwritten, less than a vector.
template <typename T>
HWY_INLINE void splat(T value, std::int64_t count, T* HWY_RESTRICT to) {
  using Bits = BitsOf<T>;
  const hn::ScalableTag<Bits> d;
  const auto all = hn::Set(d, std::bit_cast<Bits>(value));
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += width) hn::StoreU(all, d, reinterpret_cast<Bits*>(to) + i);
}

// Copies a row to where there is room for less than a vector more.
template <typename T>
HWY_INLINE void repeat(const T* from, std::int64_t count, T* to) {
  using Bits = BitsOf<T>;
  const hn::ScalableTag<Bits> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += width)
    hn::StoreU(hn::LoadU(d, reinterpret_cast<const Bits*>(from) + i), d, reinterpret_cast<Bits*>(to) + i);
}

// Copies a row to where the writer wants it.
template <typename T>
HWY_INLINE void copy_row(const T* from, std::int64_t count, T* to, StreamWriter& writer) {
  using Bits = BitsOf<T>;
  const hn::ScalableTag<Bits> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  constexpr std::int64_t kShort = 1024 / sizeof(T);
  const auto* bits = reinterpret_cast<const Bits*>(from);
  if (hn::MaxLanes(d) * sizeof(T) >= 16 && count % width == 0 && writer.takes_lines(to, count)) {
    for (std::int64_t i = 0; i < count; i += width)
      hn::Stream(hn::LoadU(d, bits + i), d, reinterpret_cast<Bits*>(to) + i);
    return;
  }
  if (count > kShort || count < width) return writer.write(to, from, count);
  auto* room = reinterpret_cast<Bits*>(writer.room(to, count));
  for (std::int64_t i = 0; i + width <= count; i += width) hn::StoreU(hn::LoadU(d, bits + i), d, room + i);
  hn::StoreU(hn::LoadU(d, bits + count - width), d, room + count - width);
}

// Each of `count` neighbours twice; what follows may be overwritten, less than two vectors.
template <typename T>
HWY_INLINE void double_line(const T* from, std::int64_t count, T* HWY_RESTRICT to) {
  using Bits = BitsOf<T>;
  const hn::ScalableTag<Bits> d;
  const auto width = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += width) {
    const auto one = hn::LoadU(d, reinterpret_cast<const Bits*>(from) + i);
    hn::StoreInterleaved2(one, one, d, reinterpret_cast<Bits*>(to) + 2 * i);
  }
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
