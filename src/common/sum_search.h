#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cairn {

// Sums of two distances below this stay far from the end of 64 bits.
inline constexpr std::int64_t kFar = std::int64_t{1} << 60;

// Asks whether one value from each term can be chosen so that their sum falls into an interval. Two views
// share a byte, or a view an element, exactly if such a sum exists.
class SumSearch {
 public:
  void add(std::int64_t step, std::int64_t count) {
    if (step > 0 && count > 0) terms_.push_back({step, count});
  }

  bool reaches(std::int64_t low, std::int64_t high) {
    merge();
    std::int64_t reach = 0;
    std::int64_t divisor = 0;
    for (std::size_t i = terms_.size(); i-- > 0;) {
      reach += terms_[i].step * terms_[i].count;
      divisor = std::gcd(divisor, terms_[i].step);
      terms_[i].reach = reach;
      terms_[i].divisor = divisor;
    }
    return search(0, low, high);
  }

 private:
  // Steps of a search before it gives up: some ten milliseconds, which only views made to be hard ever take.
  static constexpr int kSearchLimit = 1 << 18;

  // The values 0, step, 2·step … count·step.
  struct Term {
    std::int64_t step;
    std::int64_t count;
    std::int64_t reach = 0;    // the largest sum of this term and the finer ones
    std::int64_t divisor = 0;  // divides every such sum
  };

  // Fewer terms for the same set of sums: equal steps add up, and a step that closes onto the values of a
  // finer one that divides it (rows of a dense plane) only makes that one longer. Leaves the coarsest step
  // first.
  void merge() {
    std::sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.step < b.step; });
    std::size_t kept = 0;
    for (const Term term : terms_) {
      if (kept > 0) {
        Term& finer = terms_[kept - 1];
        const std::int64_t ratio = term.step / finer.step;
        if (term.step % finer.step == 0 && ratio <= finer.count + 1) {
          finer.count += ratio * term.count;
          continue;
        }
      }
      terms_[kept++] = term;
    }
    terms_.resize(kept);
    std::reverse(terms_.begin(), terms_.end());
  }

  bool search(std::size_t at, std::int64_t low, std::int64_t high) {
    if (at == terms_.size()) return low <= 0 && high >= 0;
    if (steps_left_-- <= 0) return true;
    const Term& term = terms_[at];
    low = std::max<std::int64_t>(low, 0);
    high = std::min(high, term.reach);
    if (low > high || high / term.divisor * term.divisor < low) return false;

    const std::int64_t rest = term.reach - term.step * term.count;
    const std::int64_t first = low > rest ? (low - rest - 1) / term.step + 1 : 0;
    const std::int64_t last = std::min(term.count, high / term.step);
    for (std::int64_t i = last; i >= first; --i) {
      if (search(at + 1, low - i * term.step, high - i * term.step)) return true;
    }
    return false;
  }

  std::vector<Term> terms_;
  int steps_left_ = kSearchLimit;
};

}  // namespace cairn
