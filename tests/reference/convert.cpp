#include "reference/convert.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace reference {
namespace {

// A number as digits and a power of two: no arithmetic of the machine rounds anything here.
struct Exact {
  bool negative = false;
  bool nan = false;
  bool infinite = false;
  std::uint64_t digits = 0;
  int exponent = 0;  // of the last digit
};

struct Format {
  int size;    // bits, one of them the sign
  int digits;  // that a normal number has, the implicit one included
  int least;   // exponent of the last digit of subnormals
  std::uint64_t infinity() const { return ((std::uint64_t{1} << (size - digits)) - 1) << (digits - 1); }
};

Format format_of(Type type) {
  switch (type) {
    case Type::kFloat:
      return {32, 24, -149};
    case Type::kFloat16:
      return {16, 11, -24};
    case Type::kBf16:
      return {16, 8, -133};
    case Type::kDouble:
      return {64, 53, -1074};
    default:
      std::abort();
  }
}

Exact decode(const void* element, Type type) {
  const Format format = format_of(type);
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, static_cast<std::size_t>(size_of(type)));
  const std::uint64_t sign = std::uint64_t{1} << (format.size - 1);
  const std::uint64_t implicit = std::uint64_t{1} << (format.digits - 1);
  Exact value;
  value.negative = (bits & sign) != 0;
  bits &= sign - 1;
  if (bits >= format.infinity()) {
    value.infinite = bits == format.infinity();
    value.nan = !value.infinite;
    return value;
  }
  const auto biased = static_cast<int>(bits / implicit);
  value.digits = bits % implicit + (biased > 0 ? implicit : 0);
  value.exponent = format.least + (biased > 0 ? biased - 1 : 0);
  return value;
}

Exact decode_integer(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return {.negative = value < 0, .digits = value < 0 ? 0 - bits : bits};
}

// digits / 2^shift, to nearest, ties to even.
std::uint64_t rounded(std::uint64_t digits, int shift) {
  if (shift > 64) return 0;
  const std::uint64_t whole = shift == 64 ? 0 : digits >> shift;
  const std::uint64_t rest = shift == 64 ? digits : digits - (whole << shift);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  return whole + (rest > half || (rest == half && whole % 2 == 1) ? 1 : 0);
}

void encode(const Exact& value, void* element, Type type) {
  const Format format = format_of(type);
  std::uint64_t bits = 0;
  if (value.nan) {
    bits = format.infinity() | std::uint64_t{1} << (format.digits - 2);
  } else if (value.infinite) {
    bits = format.infinity();
  } else if (value.digits != 0) {
    // The last digit that the format keeps; the digits down to it, and an exponent in front. A rounding that
    // carries walks into the next exponent by itself.
    int last = value.exponent + std::bit_width(value.digits) - format.digits;
    if (last < format.least) last = format.least;
    const int shift = last - value.exponent;
    const std::uint64_t kept = shift > 0 ? rounded(value.digits, shift) : value.digits << -shift;
    bits = (static_cast<std::uint64_t>(last - format.least) << (format.digits - 1)) + kept;
    if (bits > format.infinity()) bits = format.infinity();
  }
  if (value.negative && !value.nan) bits |= std::uint64_t{1} << (format.size - 1);
  std::memcpy(element, &bits, static_cast<std::size_t>(size_of(type)));
}

}  // namespace

bool is_conversion(Type from, Type to) {
  if (from == to) return true;
  if (to == Type::kBool) return false;
  return !(is_floating(from) && !is_floating(to));
}

void convert(const void* from, Type from_type, void* to, Type to_type) {
  if (from_type == to_type) {
    std::memcpy(to, from, static_cast<std::size_t>(size_of(to_type)));
  } else if (is_floating(from_type)) {
    encode(decode(from, from_type), to, to_type);
  } else if (is_floating(to_type)) {
    encode(decode_integer(load_integer(from, from_type)), to, to_type);
  } else {
    store_integer(to, to_type, load_integer(from, from_type));
  }
}

}  // namespace reference
