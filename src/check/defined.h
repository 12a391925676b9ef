#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cairn::check {

// Which bytes of a block were ever written: none, all that were asked for, or a bit for each, which is made
// when it is first needed.
class Defined {
 public:
  Defined(std::size_t requested, std::size_t usable) : requested_(requested), usable_(usable) {}

  void set(std::size_t begin, std::size_t end);
  void set_all() { state_ = State::kAll; }
  bool test(std::size_t at) const;
  // The first byte in [begin, end) that was never written; `end` when there is none.
  std::size_t first_unwritten(std::size_t begin, std::size_t end) const;
  // Takes over what `from` knows of its bytes from `source` on.
  void copy(std::size_t begin, std::size_t bytes, const Defined& from, std::size_t source);

 private:
  enum class State : std::uint8_t { kNone, kAll, kBits };

  void make_bits();
  void change(std::size_t begin, std::size_t end, bool written);

  std::size_t requested_;
  std::size_t usable_;
  State state_ = State::kNone;
  std::vector<std::uint64_t> bits_;
};

}  // namespace cairn::check
