#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace reference {

// Decisions, either from a seed or from the bytes a fuzzer gives (and from a fixed seed once those are used
// up).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  explicit Random(std::span<const unsigned char> bytes) : state_(bytes.size()), bytes_(bytes) {}

  std::uint64_t bits() { return bytes_.empty() ? noise() : take(8); }
  // Both ends are possible.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    const std::uint64_t drawn = bytes_.empty() ? noise() : take(range <= 256 ? 1 : 8);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (range == 0 ? drawn : drawn % range));
  }
  bool chance(int percent) { return between(0, 99) < percent; }
  template <typename T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[between(0, static_cast<std::int64_t>(choices.size()) - 1)];
  }
  // In [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  // splitmix64: the same numbers with every standard library, so that a printed seed means the same case
  // everywhere.
  std::uint64_t noise() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t take(std::size_t count) {
    std::uint64_t value = 0;
    for (; count > 0 && !bytes_.empty(); --count) {
      value = value << 8 | bytes_.front();
      bytes_ = bytes_.subspan(1);
    }
    return value;
  }

  std::uint64_t state_;
  std::span<const unsigned char> bytes_;
};

// What an environment variable says; ends the program with a sentence if that is not a number.
std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise);

// Case i of a run with seed s is case 0 of a run with seed s + i, so one number reproduces one case.
inline std::uint64_t first_seed() { return number_from_environment("CAIRN_TEST_SEED", 20240917); }
inline std::uint64_t case_count(std::uint64_t usual) {
  return number_from_environment("CAIRN_TEST_CASES", usual);
}
inline std::string how_to_repeat(std::uint64_t seed) {
  return "to repeat: CAIRN_TEST_SEED=" + std::to_string(seed) + " CAIRN_TEST_CASES=1";
}

}  // namespace reference
