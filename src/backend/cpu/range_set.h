#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace cairn {

// Free ranges of addresses. The smallest that fits is taken, so that large ones stay whole; neighbours join.
class RangeSet {
 public:
  // `size` and everything ever given back are multiples of the unit that the owner rounds to.
  std::optional<std::uintptr_t> take(std::size_t size) {
    const auto fitting = by_size_.lower_bound({size, 0});
    if (fitting == by_size_.end()) return std::nullopt;
    const auto [found, begin] = *fitting;
    if (found > size)
      insert(begin + size, found - size);  // first: it may throw, and then nothing has changed
    by_begin_.erase(begin);
    by_size_.erase(fitting);
    return begin;
  }

  void give_back(std::uintptr_t begin, std::size_t size) {
    const auto next = by_begin_.lower_bound(begin);
    const bool joins_next = next != by_begin_.end() && next->first == begin + size;
    std::uintptr_t joined_begin = begin;
    std::size_t joined_size = size + (joins_next ? next->second : 0);
    if (next != by_begin_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == begin) {
        joined_begin = before->first;
        joined_size += before->second;
      }
    }
    if (joins_next) erase(next);
    if (joined_begin != begin) erase(by_begin_.find(joined_begin));
    insert(joined_begin, joined_size);
  }

 private:
  using ByBegin = std::map<std::uintptr_t, std::size_t>;

  void insert(std::uintptr_t begin, std::size_t size) {
    by_size_.emplace(size, begin);
    try {
      by_begin_.emplace(begin, size);
    } catch (...) {
      by_size_.erase({size, begin});
      throw;
    }
  }

  void erase(ByBegin::iterator range) {
    by_size_.erase({range->second, range->first});
    by_begin_.erase(range);
  }

  ByBegin by_begin_;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size_;
};

}  // namespace cairn
