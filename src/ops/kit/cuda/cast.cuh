#pragma once

#include <cstdint>
#include <type_traits>

#include "common/data_type.h"
#include "ops/kit/cuda/element.cuh"
#include "ops/kit/cuda/types.cuh"

// Stores an element as another type, bit for bit as the CPU's cast_row does.
namespace cairn::cuda {

template <typename T>
inline constexpr bool kIsHalf = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

__device__ inline std::int64_t whole(Bool value) { return value.byte != 0 ? 1 : 0; }
template <typename Integer>
__device__ std::int64_t whole(Integer value) {
  return value;
}

// Rounds to odd: of the two floats around a number that is none, the one with the last bit set. It lies on
// the same side of every tie of a shorter type, so that rounding it again is as good as rounding once.
__device__ inline float to_odd(double value) {
  const float below = __double2float_rz(value);
  return static_cast<double>(below) == value ? below : __int_as_float(__float_as_int(below) | 1);
}
// The same for integers of more digits than a double has.
__device__ inline double to_odd(std::int64_t value) {
  constexpr std::int64_t kExact = std::int64_t{1} << 53;
  constexpr std::int64_t kRest = (1 << 11) - 1;
  if (value >= -kExact && value <= kExact) return static_cast<double>(value);
  return static_cast<double>((value & ~kRest) | ((value & kRest) != 0 ? kRest + 1 : 0));
}

template <typename To>
__device__ To cast(double value) {
  if constexpr (kIsHalf<To>) {
    return narrow<To>(value == value ? to_odd(value) : __int_as_float(0x7FC00000));
  } else if constexpr (std::is_same_v<To, float>) {
    return value == value ? __double2float_rn(value) : __int_as_float(0x7FC00000);
  } else {
    return narrow<double>(value);
  }
}

template <typename To>
__device__ To cast(std::int64_t value) {
  if constexpr (kIsHalf<To>) {
    return narrow<To>(to_odd(to_odd(value)));
  } else if constexpr (std::is_same_v<To, Bool>) {
    return {static_cast<std::uint8_t>(value != 0)};
  } else {
    return static_cast<To>(value);
  }
}

template <typename List, typename Wide>
__device__ void store_as(DataType type, void* to, std::int64_t at, Wide value) {
  by_type<List>(type, [&]<typename To>(Tag<To>) {
    static_cast<To*>(to)[at] = cast<To>(value);
    return true;
  });
}

// to[to_at] = from[from_at].
__device__ inline void cast_element(DataType from_type, const void* from, std::int64_t from_at,
                                    DataType to_type, void* to, std::int64_t to_at) {
  if (from_type == to_type) {
    by_element_size(to_type, [&]<typename Bits>(Tag<Bits>) {
      static_cast<Bits*>(to)[to_at] = static_cast<const Bits*>(from)[from_at];
      return true;
    });
  } else if (is_floating(from_type)) {
    const double value = by_type<FloatOrDoubleTypes>(from_type, [&]<typename From>(Tag<From>) {
      return static_cast<double>(widen(static_cast<const From*>(from)[from_at]));
    });
    store_as<FloatOrDoubleTypes>(to_type, to, to_at, value);
  } else {
    const std::int64_t value = by_type<IntegerTypes>(
        from_type, [&]<typename From>(Tag<From>) { return whole(static_cast<const From*>(from)[from_at]); });
    if (is_floating(to_type)) {
      store_as<FloatOrDoubleTypes>(to_type, to, to_at, value);
    } else {
      store_as<IntegerTypes>(to_type, to, to_at, value);
    }
  }
}

}  // namespace cairn::cuda
