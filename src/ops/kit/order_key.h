#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "common/data_type.h"

// Elements as signed integers of their size that compare as they do, so that one kernel finds the maximum of
// all types of a size: -inf (or the least integer) is the least number, both zeros lie side by side, -0
// before +0, and NaNs of either sign lie behind +inf. Each key is one element's.
namespace cairn {

template <typename Lane>
struct OrderKey {
  using Bits = std::make_unsigned_t<Lane>;
  static constexpr int kSign = 8 * static_cast<int>(sizeof(Lane)) - 1;
  static constexpr Lane kLeast = std::numeric_limits<Lane>::min();

  Lane flip = 0;     // what a sign inverts: all other bits of a float, nothing of an integer
  Lane shift = 0;    // what is added then
  Lane largest = 0;  // the key of +inf or of the largest integer: NaNs lie behind it
  bool floating = false;

  constexpr explicit OrderKey(DataType type) : floating(is_floating(type)) {
    largest = std::numeric_limits<Lane>::max();
    if (floating) {
      flip = largest;
      const auto infinity = static_cast<Bits>(static_cast<Bits>(largest >> mantissa(type)) << mantissa(type));
      const auto minus_infinity = static_cast<Lane>(~infinity);  // inverted but for the sign
      shift = static_cast<Lane>(static_cast<Bits>(kLeast) - static_cast<Bits>(minus_infinity));
      largest = static_cast<Lane>(infinity + static_cast<Bits>(shift));
    } else if (type == DataType::kUint8 || type == DataType::kUint16) {
      shift = kLeast;
    }
  }

  constexpr Lane key(Lane bits) const {
    const auto ordered = static_cast<Bits>(bits ^ (bits >> kSign & flip));
    return static_cast<Lane>(static_cast<Bits>(ordered + static_cast<Bits>(shift)));
  }
  constexpr Lane bits(Lane key) const {
    const auto ordered =
        static_cast<Lane>(static_cast<Bits>(static_cast<Bits>(key) - static_cast<Bits>(shift)));
    return static_cast<Lane>(ordered ^ (ordered >> kSign & flip));
  }
  constexpr bool is_nan(Lane key) const { return key > largest; }
  constexpr Lane zero() const { return shift; }  // of +0

  // Whether a tap takes over, both as keys: the definition.
  constexpr bool takes_over(Lane tap, Lane best) const {
    if (is_nan(tap)) return true;
    const auto is_minus_zero = [this](Lane one) { return floating && one != kLeast && one + 1 == zero(); };
    const Lane value = is_minus_zero(tap) ? zero() : tap;
    return !is_nan(best) && value > (is_minus_zero(best) ? zero() : best);
  }

 private:
  static constexpr int mantissa(DataType type) {
    switch (type) {
      case DataType::kFloat16:
        return 10;
      case DataType::kBf16:
        return 7;
      case DataType::kFloat:
        return 23;
      default:
        return 52;
    }
  }
};

// body.operator()<Lane>() for the signed integer of the type's size.
template <typename Body>
decltype(auto) with_lane_type(DataType type, const Body& body) {
  switch (size_of(type)) {
    case 1:
      return body.template operator()<std::int8_t>();
    case 2:
      return body.template operator()<std::int16_t>();
    case 4:
      return body.template operator()<std::int32_t>();
    default:
      return body.template operator()<std::int64_t>();
  }
}

}  // namespace cairn
