#include "ops/kit/cpu/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "ops/kit/cpu/types.h"

namespace cairn {
namespace {

double widen(double value) { return value; }
double widen(float value) { return value; }
double widen(Float16 value) { return to_float(value); }
double widen(Bfloat16 value) { return to_float(value); }
std::int64_t widen(Bool value) { return value.byte != 0 ? 1 : 0; }
template <typename Integer>
std::int64_t widen(Integer value) {
  return value;
}

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, Bfloat16>;

// Rounds to odd: of the two floats around a number that is none, the one with the last bit set. It lies on
// the same side of every tie of a shorter type, so that rounding it again is as good as rounding once.
float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  auto bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;  // towards 0, from infinity too
  return std::bit_cast<float>(bits | 1);
}

// The same for integers of more digits than a double has.
double to_odd(std::int64_t value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  constexpr std::int64_t kRest = (1 << 11) - 1;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  return static_cast<double>((value & ~kRest) | ((value & kRest) != 0 ? kRest + 1 : 0));
}

template <typename To>
To narrow(double value) {
  if constexpr (kIsHalf<To>) {
    return from_float<To>(to_odd(value));
  } else {
    return std::isnan(value) ? std::bit_cast<To>(kNan<To>) : static_cast<To>(value);
  }
}

template <typename To>
To narrow(std::int64_t value) {
  if constexpr (kIsHalf<To>) {
    return narrow<To>(to_odd(value));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else {
    return static_cast<To>(value);
  }
}

// Elements go through the type that holds all of their kind, double or INT64, some at a time: that is one
// loop a type and not one a pair.
constexpr std::int64_t kStage = 128;

template <typename From, typename Wide>
void widen_all(const void* from, std::int64_t begin, std::int64_t count, Wide* to) {
  const auto* source = static_cast<const From*>(from) + begin;
  for (std::int64_t i = 0; i < count; ++i) to[i] = widen(source[i]);
}

template <typename To, typename Wide>
void narrow_all(const Wide* from, void* to, std::int64_t begin, std::int64_t stride, std::int64_t count) {
  auto* target = static_cast<To*>(to) + begin * stride;
  for (std::int64_t i = 0; i < count; ++i) target[i * stride] = narrow<To>(from[i]);
}

void copy_row(DataType type, const void* from, void* to, std::int64_t stride, std::int64_t count) {
  with_bits_of_type(type, [&]<typename Bits>() {
    const auto* source = static_cast<const Bits*>(from);
    auto* target = static_cast<Bits*>(to);
    for (std::int64_t i = 0; i < count; ++i) target[i * stride] = source[i];
  });
}

}  // namespace

void cast_row(DataType from_type, const void* from, DataType to_type, void* to, std::int64_t stride,
              std::int64_t count) {
  if (from_type == to_type) return copy_row(to_type, from, to, stride, count);
  double reals[kStage];
  std::int64_t integers[kStage];
  for (std::int64_t begin = 0; begin < count; begin += kStage) {
    const std::int64_t some = std::min(count - begin, kStage);
    const auto store = [&](const auto* stage) {
      return [&, stage]<typename To>() { narrow_all<To>(stage, to, begin, stride, some); };
    };
    if (is_floating(from_type)) {
      with_real_type(from_type, [&]<typename From>() { widen_all<From>(from, begin, some, reals); });
      with_real_type(to_type, store(reals));
    } else {
      with_integer_type(from_type, [&]<typename From>() { widen_all<From>(from, begin, some, integers); });
      if (is_floating(to_type)) {
        with_real_type(to_type, store(integers));
      } else {
        with_integer_type(to_type, store(integers));
      }
    }
  }
}

}  // namespace cairn
