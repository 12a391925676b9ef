#include "check/defined.h"

#include <algorithm>
#include <bit>

namespace cairn::check {
namespace {

constexpr std::size_t kWord = 64;

// The bits of word `word` that lie in [begin, end).
std::uint64_t mask(std::size_t word, std::size_t begin, std::size_t end) {
  const std::size_t first = word * kWord;
  std::uint64_t bits = ~std::uint64_t{0};
  if (begin > first) bits &= ~std::uint64_t{0} << (begin - first);
  if (end < first + kWord) bits &= ~(~std::uint64_t{0} << (end - first));
  return bits;
}

}  // namespace

void Defined::make_bits() {
  if (state_ == State::kBits) return;
  const bool all = state_ == State::kAll;
  state_ = State::kBits;
  bits_.assign((usable_ + kWord - 1) / kWord, 0);
  if (all) change(0, requested_, true);
}

void Defined::change(std::size_t begin, std::size_t end, bool written) {
  for (std::size_t word = begin / kWord; word * kWord < end; ++word) {
    const std::uint64_t bits = mask(word, begin, end);
    bits_[word] = written ? bits_[word] | bits : bits_[word] & ~bits;
  }
}

void Defined::set(std::size_t begin, std::size_t end) {
  end = std::min(end, usable_);
  if (begin >= end) return;
  if (state_ == State::kAll && end <= requested_) return;
  if (state_ != State::kBits && begin == 0 && end == requested_) return set_all();
  make_bits();
  change(begin, end, true);
}

bool Defined::test(std::size_t at) const {
  if (state_ != State::kBits) return state_ == State::kAll && at < requested_;
  return at < usable_ && (bits_[at / kWord] >> (at % kWord) & 1) != 0;
}

std::size_t Defined::first_unwritten(std::size_t begin, std::size_t end) const {
  if (state_ == State::kNone) return begin;
  if (state_ == State::kAll) return end <= requested_ ? end : std::max(begin, requested_);
  for (std::size_t word = begin / kWord; word * kWord < end && word < bits_.size(); ++word) {
    const std::uint64_t missing = ~bits_[word] & mask(word, begin, end);
    if (missing != 0) return word * kWord + static_cast<std::size_t>(std::countr_zero(missing));
  }
  return end <= usable_ ? end : std::max(begin, usable_);
}

void Defined::copy(std::size_t begin, std::size_t bytes, const Defined& from, std::size_t source) {
  if (from.first_unwritten(source, source + bytes) == source + bytes) return set(begin, begin + bytes);
  make_bits();
  for (std::size_t i = 0; i < bytes && begin + i < usable_; ++i)
    change(begin + i, begin + i + 1, from.test(source + i));
}

}  // namespace cairn::check
