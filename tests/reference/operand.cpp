#include "reference/operand.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <sstream>
#include <utility>

namespace reference {
namespace {

// Lays the axes out from the innermost (last of `order`) outwards; `gap` says how much more than needed each
// takes.
template <typename Gap>
Layout lay_out(const Sizes& size, const std::array<int, 5>& order, Gap gap) {
  Layout layout;
  std::int64_t next = 1 + gap();
  for (int i = 4; i >= 0; --i) {
    const auto axis = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
    layout.stride[axis] = next;
    next = next * std::max<std::int64_t>(size[axis], 1) + gap();
  }
  return layout;
}

std::int64_t span_of(const Sizes& size, const Sizes& stride) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < 5; ++axis) {
    if (size[axis] == 0) return 0;
    last += (size[axis] - 1) * stride[axis];
  }
  return last + 1;
}

float ordinary(Random& random) { return static_cast<float>(random.unit() * 4 - 2); }

float special(Random& random) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float value = random.pick({std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity, -0.0F,
                                   0.0F, 0x1p-149F, -0x1.8p-130F, 0x1p-24F, -0x1p-25F, 0x1.8p-15F, 65504.0F,
                                   -65504.0F, 65520.0F, 0x1.fffffep127F, 0x1.fep127F, 0x1.0008p0F, 1.0F});
  return random.chance(50) ? value : ordinary(random);
}

// All exponent bits set and a mantissa that is not 0, quiet or not.
void fill_nan(Random& random, unsigned char* element, Type type) {
  do {
    const std::uint64_t bits = random.bits();
    const std::uint64_t exponent = type == Type::kFloat     ? 0x7f800000
                                   : type == Type::kFloat16 ? 0x7c00
                                   : type == Type::kBf16    ? 0x7f80
                                                            : 0x7ff0000000000000;
    const std::uint64_t nan = bits | exponent;
    std::memcpy(element, &nan, static_cast<std::size_t>(size_of(type)));
  } while (!is_nan(element, type));
}

// Special ones lie at or beside the middle of two numbers of a floating-point type.
std::uint64_t near_tie(Random& random) {
  const auto digits = random.pick({8, 11, 24, 53});
  const std::uint64_t odd = random.bits() >> (63 - digits) | 1;
  const std::uint64_t tie = odd << random.between(0, 62 - digits);
  const std::uint64_t beside = tie + static_cast<std::uint64_t>(random.between(-1, 1));
  return random.chance(50) ? beside : 0 - beside;
}

std::uint64_t fill_integer(Random& random, Type type, Values values) {
  const std::uint64_t noise = random.bits();
  if (type == Type::kBool) return random.pick<std::uint64_t>({0, 0, 1, noise});
  if (is_floating(type)) return noise;
  if (values == Values::kWide) return noise >> random.between(0, 63);
  return values == Values::kSpecial ? near_tie(random) : noise;
}

void fill_element(Random& random, unsigned char* element, Type type, Values values) {
  const auto bytes = static_cast<std::size_t>(size_of(type));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  if (values == Values::kAnyBits || !is_floating(type)) {
    const std::uint64_t integer = fill_integer(random, type, values);
    std::memcpy(element, &integer, bytes);
    return;
  }
  float value = 0;
  switch (values) {
    case Values::kOrdinary:
      value = ordinary(random);
      break;
    case Values::kWide:
      value = std::ldexp(ordinary(random), static_cast<int>(random.between(-24, 15)));
      break;
    case Values::kSpecial:
      value = special(random);
      break;
    case Values::kNegativeZeros:
      value = random.chance(90) ? -0.0F : ordinary(random);
      break;
    case Values::kNans:
      if (random.chance(33)) return fill_nan(random, element, type);
      value = random.chance(30) ? random.pick({kInfinity, -kInfinity}) : special(random);
      break;
    case Values::kOnlyNans:
      return fill_nan(random, element, type);
    case Values::kOpposites:
      value = random.pick({kInfinity, -kInfinity});
      break;
    case Values::kTies:
      value = random.pick({-1.0F, -0.0F, 0.0F, 0.0F, -0.0F, 1.0F, kInfinity, -kInfinity});
      break;
    case Values::kMinusInfinity:
      value = random.chance(97) ? -kInfinity : ordinary(random);
      break;
    default:
      value = static_cast<float>(random.between(-8, 8));
  }
  if (type == Type::kDouble) {
    // More digits than a float holds, or sums in float would pass unseen.
    const double precise =
        static_cast<double>(value) * (1.0 + (values == Values::kSmallIntegers ? 0.0 : 0x1p-40));
    std::memcpy(element, &precise, sizeof(precise));
  } else {
    store_float(element, type, value);
  }
}

std::string hex(const unsigned char* bytes, std::size_t count) {
  std::ostringstream text;
  text << "0x" << std::hex;
  for (std::size_t i = count; i-- > 0;) {
    text.width(2);
    text.fill('0');
    text << static_cast<int>(bytes[i]);
  }
  return text.str();
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t size, bool flush_at_end) : size_(size) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t usable = (size + page - 1) / page * page;
  mapped_ = usable + 2 * page;
  void* mapping = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = static_cast<unsigned char*>(mapping);
  if (usable > 0 && mprotect(mapping_ + page, usable, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  data_ = flush_at_end ? mapping_ + page + usable - size : mapping_ + page;
}

GuardedMemory::GuardedMemory(GuardedMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      size_(other.size_) {}

GuardedMemory::~GuardedMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

const char* name_of(LayoutKind kind) {
  static constexpr const char* kNames[] = {"contiguous", "channels-last", "padded",
                                           "permuted",   "broadcast",     "overlapping"};
  return kNames[static_cast<int>(kind)];
}

LayoutKind random_input_layout(Random& random) {
  using enum LayoutKind;
  return random.pick({kContiguous, kContiguous, kContiguous, kChannelsLast, kChannelsLast, kPadded, kPermuted,
                      kPermuted, kBroadcast, kOverlapping});
}

LayoutKind random_output_layout(Random& random) {
  using enum LayoutKind;
  return random.pick(
      {kContiguous, kContiguous, kContiguous, kChannelsLast, kChannelsLast, kPadded, kPermuted});
}

Layout make_layout(Random& random, LayoutKind kind, const Sizes& size) {
  Layout layout;
  std::array<int, 5> order{0, 1, 2, 3, 4};
  const auto none = [] { return std::int64_t{0}; };
  const auto gap = [&random] { return random.chance(30) ? random.between(1, 3) : 0; };
  switch (kind) {
    case LayoutKind::kContiguous:
      layout = lay_out(size, order, none);
      break;
    case LayoutKind::kChannelsLast:
      layout = lay_out(size, {0, 2, 3, 4, 1}, none);
      break;
    case LayoutKind::kPadded:
      layout = lay_out(size, order, gap);
      break;
    case LayoutKind::kPermuted:
      for (std::size_t i = 4; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(random.between(0, static_cast<std::int64_t>(i)))]);
      layout = lay_out(size, order, gap);
      break;
    case LayoutKind::kBroadcast:
      layout = lay_out(size, random.chance(50) ? order : std::array<int, 5>{0, 2, 3, 4, 1}, none);
      for (std::int64_t& stride : layout.stride)
        if (random.chance(40)) stride = 0;
      break;
    case LayoutKind::kOverlapping:
      for (std::int64_t& stride : layout.stride) stride = random.between(0, 9);
      break;
  }
  // The stride of an axis with one element never counts, so it may be anything.
  for (std::size_t axis = 0; axis < 5; ++axis)
    if (size[axis] == 1 && random.chance(30)) layout.stride[axis] = random.between(0, 1000);
  const std::int64_t slack = random.chance(50) ? 0 : random.between(0, 40);
  layout.offset = random.chance(50) ? 0 : random.between(0, 20);
  layout.storage = layout.offset + span_of(size, layout.stride) + slack;
  return layout;
}

Operand::Operand(Random& random, Type type, const Sizes& size, LayoutKind kind)
    : Operand(random, type, size, make_layout(random, kind, size)) {}

Operand::Operand(Random& random, Type type, const Sizes& size, const Layout& layout)
    : layout_(layout),
      memory_(static_cast<std::size_t>(layout.storage * size_of(type)), random.chance(70)),
      view_{memory_.data() + layout.offset * size_of(type), type, size, layout.stride} {
  std::size_t i = 0;
  for (; i + 8 <= memory_.size(); i += 8) {
    const std::uint64_t noise = random.bits();
    std::memcpy(memory_.data() + i, &noise, 8);
  }
  for (; i < memory_.size(); ++i) memory_.data()[i] = 0xa5;
}

Operand::Operand(GuardedMemory memory, const View& view, const Layout& layout)
    : layout_(layout), memory_(std::move(memory)), view_(view) {
  view_.origin = memory_.data() + layout_.offset * size_of(view_.type);
}

void Operand::restore(const std::vector<unsigned char>& bytes) {
  std::copy(bytes.begin(), bytes.end(), memory_.data());
}

Operand Operand::clone() const {
  GuardedMemory copy(memory_.size(), true);
  std::copy_n(memory_.data(), memory_.size(), copy.data());
  return {std::move(copy), view_, layout_};
}

std::string Operand::describe() const {
  std::ostringstream text;
  text << name_of(view_.type) << " size " << to_string(view_.size) << " stride " << to_string(layout_.stride)
       << " offset " << layout_.offset << " storage " << layout_.storage;
  return text.str();
}

Values random_values(Random& random) {
  using enum Values;
  return random.pick({kOrdinary, kOrdinary, kOrdinary, kWide, kWide, kSpecial, kSpecial, kAnyBits,
                      kNegativeZeros, kSmallIntegers, kNans, kNans, kOnlyNans, kOpposites});
}

Values random_values_to_compare(Random& random) {
  using enum Values;
  return random.pick({kOrdinary, kOrdinary, kWide, kSpecial, kAnyBits, kNegativeZeros, kSmallIntegers, kNans,
                      kTies, kTies, kMinusInfinity});
}

void fill_values(Random& random, const View& view, Values values) {
  walk(view, [&](unsigned char* element, const Sizes&) { fill_element(random, element, view.type, values); });
}

std::string difference(const Operand& expected, const Operand& actual) {
  return difference(expected.view(), {expected.memory().data(), expected.memory().size()},
                    {actual.memory().data(), actual.memory().size()});
}

std::string difference(const View& view, std::span<const unsigned char> expected,
                       std::span<const unsigned char> actual) {
  if (std::equal(expected.begin(), expected.end(), actual.begin(), actual.end())) return {};
  const auto bytes = static_cast<std::size_t>(size_of(view.type));
  std::vector<unsigned char> rest(actual.begin(), actual.end());
  std::ostringstream text;
  int shown = 0;
  walk(view, [&](const unsigned char* element, const Sizes& at) {
    unsigned char* found = rest.data() + (element - expected.data());
    if (std::memcmp(element, found, bytes) != 0 && shown++ < 4) {
      text << "\n  at " << to_string(at) << ": expected " << hex(element, bytes) << ", got "
           << hex(found, bytes);
    }
    std::memcpy(found, element, bytes);
  });
  if (shown > 4) text << "\n  and " << shown - 4 << " more";
  for (std::size_t i = 0; i < rest.size(); ++i) {
    if (rest[i] == expected[i]) continue;
    text << "\n  byte " << i << " of the storage lies outside the view and was written";
    break;
  }
  return text.str();
}

std::string to_string(const Sizes& sizes) {
  std::string text = "[";
  for (const std::int64_t size : sizes) text += std::to_string(size) + ",";
  text.back() = ']';
  return text;
}

}  // namespace reference
