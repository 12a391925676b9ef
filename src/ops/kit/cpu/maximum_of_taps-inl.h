// A vector of windows while their taps come in: floats with their positions, and halves packed together with
// theirs. Neither minds padding: it loses to every tap. Neither knows NaNs, nor, in FLOAT, infinities: a
// watch tells of those.

#if defined(CAIRN_OPS_KIT_CPU_MAXIMUM_OF_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KIT_CPU_MAXIMUM_OF_TAPS_INL_H_
#undef CAIRN_OPS_KIT_CPU_MAXIMUM_OF_TAPS_INL_H_
#else
#define CAIRN_OPS_KIT_CPU_MAXIMUM_OF_TAPS_INL_H_
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include "hwy/highway.h"
#include "ops/kit/cpu/half.h"
#include "ops/kit/cpu/maximum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

// What was found among the taps that needs another look.
struct Alarm {
  bool care = false;            // a NaN; in FLOAT an infinity, too
  bool negative_zeros = false;  // halves only: where the result is a zero, its bits come from where it lies
  Alarm& operator|=(const Alarm& other) {
    care = care || other.care;
    negative_zeros = negative_zeros || other.negative_zeros;
    return *this;
  }
};

#if HWY_TARGET != HWY_SCALAR

using Halves = hn::Repartition<std::int16_t, Floats>;  // a whole vector

// The bits of a half type as an integer that compares as the number does; both zeros are 0. Back, a zero is
// positive.
template <class D>
HWY_INLINE hn::Vec<D> to_or_from_order(D d, hn::Vec<D> bits) {
  const auto lowest = hn::Set(d, std::numeric_limits<std::int16_t>::min());
  return hn::IfNegativeThenElse(bits, hn::Sub(lowest, bits), bits);
}

// Sees every tap of a half type.
template <class D, typename T>
struct HalfWatch {
  hn::Vec<D> least_bits, least, most;

  HWY_INLINE HalfWatch() : least_bits(hn::Zero(D())), least(hn::Zero(D())), most(hn::Zero(D())) {}

  HWY_INLINE void see(hn::Vec<D> bits, hn::Vec<D> order) {
    least_bits = hn::Min(least_bits, bits);
    least = hn::Min(least, order);
    most = hn::Max(most, order);
  }
  HWY_INLINE Alarm alarm() const {
    const D d;
    constexpr std::int16_t kInfinity = std::is_same_v<T, Float16> ? 0x7C00 : 0x7F80;
    const auto nans = hn::Or(hn::Gt(most, hn::Set(d, kInfinity)), hn::Lt(least, hn::Set(d, -kInfinity)));
    const auto zeros = hn::Eq(least_bits, hn::Set(d, std::numeric_limits<std::int16_t>::min()));
    return {!hn::AllFalse(d, nans), !hn::AllFalse(d, zeros)};
  }
};

HWY_INLINE void store_positions(hn::Vec<Ints> positions, std::int32_t* to) {
  hn::StoreU(positions, Ints(), to);
}
HWY_INLINE void store_positions(hn::Vec<Ints> positions, std::int64_t* to) {
  const hn::Repartition<std::int64_t, Ints> d;
  hn::StoreU(hn::PromoteTo(d, hn::LowerHalf(hn::Half<Ints>(), positions)), d, to);
  hn::StoreU(hn::PromoteTo(d, hn::UpperHalf(hn::Half<Ints>(), positions)), d, to + hn::Lanes(d));
}

// FLOAT: a row of windows is its values, then, `pitch` further, their positions in the plane.
struct FloatWindows {
  using Cell = float;
  static constexpr std::int64_t kStreams = 2;
  static constexpr Cell kNothing = -std::numeric_limits<float>::infinity();

  Leader<Floats> leader;

  // Where the windows of a row begin.
  struct Starts {
    hn::Vec<Ints> position, step;
    HWY_INLINE Starts(std::int32_t first, std::int32_t stride) {
      const Ints di;
      const auto every = hn::Set(di, stride);
      position = hn::Add(hn::Mul(hn::Iota(di, 0), every), hn::Set(di, first));
      step = hn::Mul(every, hn::Set(di, static_cast<std::int32_t>(hn::Lanes(di))));
    }
    HWY_INLINE void advance() { position = hn::Add(position, step); }
    HWY_INLINE void advance_row(std::int32_t width) { position = hn::Add(position, hn::Set(Ints(), width)); }
  };

  FloatWindows() = default;
  HWY_INLINE explicit FloatWindows(const Cell* taps) : leader(hn::LoadU(Floats(), taps), hn::Zero(Ints())) {}
  HWY_INLINE void meet_tap(const Cell* taps, std::int32_t k) {
    leader.meet<false>(hn::LoadU(Floats(), taps), hn::Set(Ints(), k));
  }
  HWY_INLINE void meet(const FloatWindows& later) {
    leader.meet<false>(later.leader.value, later.leader.position);
  }
  HWY_INLINE void place(const Starts& starts) { leader.position = hn::Add(leader.position, starts.position); }

  HWY_INLINE FloatWindows(const Cell* row, std::int64_t pitch)
      : leader(hn::Load(Floats(), row), hn::Load(Ints(), positions_of(row, pitch))) {}
  HWY_INLINE void meet_row(const Cell* row, std::int64_t pitch, std::int32_t /*further*/) {
    leader.meet<false>(hn::Load(Floats(), row), hn::Load(Ints(), positions_of(row, pitch)));
  }

  HWY_INLINE void keep(Cell* row, std::int64_t pitch) const {
    hn::Store(leader.value, Floats(), row);
    hn::Store(leader.position, Ints(), reinterpret_cast<std::int32_t*>(row + pitch));
  }
  template <typename Index>
  HWY_INLINE void write(std::int32_t /*base*/, float* values, Index* positions) const {
    hn::StoreU(leader.value, Floats(), values);
    store_positions(leader.position, positions);
  }

 private:
  static HWY_INLINE const std::int32_t* positions_of(const Cell* row, std::int64_t pitch) {
    return reinterpret_cast<const std::int32_t*>(row + pitch);
  }
};

// Halves: value and position in one integer, so that the larger is the better and one maximum does it all.
// The upper half is the value in order, the lower one says how far before kLast cells from some base the tap
// lies: more for the earlier of equals.
struct PackedWindows {
  using Cell = std::int32_t;
  static constexpr std::int64_t kStreams = 1;
  static constexpr Cell kNothing = std::numeric_limits<std::int32_t>::min();
  static constexpr std::int32_t kLast = 0xFFFF;

  hn::Vec<Ints> best;

  struct Starts {
    Starts(std::int32_t /*first*/, std::int32_t /*stride*/) {}
    void advance() {}
    void advance_row(std::int32_t /*width*/) {}
  };

  PackedWindows() = default;
  HWY_INLINE explicit PackedWindows(const Cell* taps) : best(hn::LoadU(Ints(), taps)) {}
  HWY_INLINE void meet_tap(const Cell* taps, std::int32_t /*k*/) {
    best = hn::Max(best, hn::LoadU(Ints(), taps));
  }
  HWY_INLINE void meet(const PackedWindows& later) { best = hn::Max(best, later.best); }
  HWY_INLINE void place(const Starts& /*starts*/) const {}

  HWY_INLINE PackedWindows(const Cell* row, std::int64_t /*pitch*/) : best(hn::Load(Ints(), row)) {}
  // The row's base lies `further` cells behind the first row's.
  HWY_INLINE void meet_row(const Cell* row, std::int64_t /*pitch*/, std::int32_t further) {
    best = hn::Max(best, hn::Sub(hn::Load(Ints(), row), hn::Set(Ints(), further)));
  }

  HWY_INLINE void keep(Cell* row, std::int64_t /*pitch*/) const { hn::Store(best, Ints(), row); }
  template <typename T, typename Index>
  HWY_INLINE void write(std::int32_t base, T* values, Index* positions) const {
    const Ints di;
    const hn::Rebind<std::int16_t, Ints> half;
    const auto order = hn::DemoteTo(half, hn::ShiftRight<16>(best));
    hn::StoreU(to_or_from_order(half, order), half, reinterpret_cast<std::int16_t*>(values));
    store_positions(hn::Sub(hn::Set(di, base + kLast), hn::And(best, hn::Set(di, kLast))), positions);
  }
};

#endif

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
