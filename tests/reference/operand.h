#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reference/oracle.h"
#include "reference/random.h"

namespace reference {

// Memory with an unreadable page on either side, its end (or its begin) flush against it: an access outside
// ends the program instead of passing unseen.
class GuardedMemory {
 public:
  GuardedMemory(std::size_t size, bool flush_at_end);
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory& operator=(GuardedMemory&&) = delete;
  ~GuardedMemory();

  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  unsigned char* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// Where a view's elements lie in its storage, in elements.
struct Layout {
  Sizes stride{};
  std::int64_t offset = 0;
  std::int64_t storage = 0;
};

enum class LayoutKind {
  kContiguous,    // N, C, D, H, W
  kChannelsLast,  // N, D, H, W, C
  kPadded,        // a crop of something larger, axes in order, steps between elements
  kPermuted,      // any axis order, with gaps
  kBroadcast,     // some axes with stride 0; inputs only
  kOverlapping,   // small arbitrary strides, elements share memory; inputs only
};
const char* name_of(LayoutKind kind);

LayoutKind random_input_layout(Random& random);
LayoutKind random_output_layout(Random& random);
Layout make_layout(Random& random, LayoutKind kind, const Sizes& size);

// A tensor in memory of its own, exactly as large as its storage and filled with noise.
class Operand {
 public:
  Operand(Random& random, Type type, const Sizes& size, LayoutKind kind);
  Operand(Random& random, Type type, const Sizes& size, const Layout& layout);

  const View& view() const { return view_; }
  const Layout& layout() const { return layout_; }
  const GuardedMemory& memory() const { return memory_; }
  std::vector<unsigned char> snapshot() const { return {memory_.data(), memory_.data() + memory_.size()}; }
  void restore(const std::vector<unsigned char>& bytes);
  // Another memory, same layout, same bytes.
  Operand clone() const;
  std::string describe() const;

 private:
  Operand(GuardedMemory memory, const View& view, const Layout& layout);

  Layout layout_;
  GuardedMemory memory_;
  View view_;
};

enum class Values {
  kOrdinary,
  kWide,
  kSpecial,
  kAnyBits,
  kNegativeZeros,
  kSmallIntegers,
  kNans,           // a third are NaNs, each with a sign and payload of its own, and many infinities
  kOnlyNans,       // such NaNs, nothing else
  kOpposites,      // infinities of both signs: sums are NaNs only where two meet
  kTies,           // a few values, -0.0, +0.0 and both infinities among them
  kMinusInfinity,  // mostly -inf
};
Values random_values(Random& random);
// Those that decide which tap a maximum takes come often.
Values random_values_to_compare(Random& random);
void fill_values(Random& random, const View& view, Values values);

// Calls body(address, position) for every element, in the order of the axes.
template <typename Body>
void walk(const View& view, Body body) {
  for (std::int64_t n = 0; n < view.size[0]; ++n)
    for (std::int64_t c = 0; c < view.size[1]; ++c)
      for (std::int64_t d = 0; d < view.size[2]; ++d)
        for (std::int64_t h = 0; h < view.size[3]; ++h)
          for (std::int64_t w = 0; w < view.size[4]; ++w) body(view.at(n, c, d, h, w), Sizes{n, c, d, h, w});
}

// Empty when every byte of both memories is the same, in the view and beside it.
std::string difference(const Operand& expected, const Operand& actual);
// The same for a view into `expected`, the bytes of a storage.
std::string difference(const View& view, std::span<const unsigned char> expected,
                       std::span<const unsigned char> actual);

std::string to_string(const Sizes& sizes);

}  // namespace reference
