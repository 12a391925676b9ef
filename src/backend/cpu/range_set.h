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
// Where there is no memory to note a range, nothing changes.
class RangeSet {
 public:
  // `size` and everything ever given back are multiples of the unit that the owner rounds to.
  std::optional<std::uintptr_t> take(std::size_t size) {
    const auto fitting = by_size_.lower_bound({size, 0});
    if (fitting == by_size_.end()) return std::nullopt;
    const std::uintptr_t begin = fitting->second;
    cut(begin, size);
    return begin;
  }

  void give_back(std::uintptr_t begin, std::size_t size) {
    const auto next = by_begin_.lower_bound(begin);
    const bool joins_next = next != by_begin_.end() && next->first == begin + size;
    const auto before = next == by_begin_.begin() ? by_begin_.end() : std::prev(next);
    if (before != by_begin_.end() && before->first + before->second == begin) {
      resize(before, before->second + size + (joins_next ? next->second : 0));
      if (joins_next) erase(next);
    } else if (joins_next) {
      move(next, begin, next->second + size);
    } else {
      insert(begin, size);
    }
  }

  // Whether all of these addresses are free.
  bool holds(std::uintptr_t begin, std::size_t size) const {
    const auto next = by_begin_.upper_bound(begin);
    if (next == by_begin_.begin()) return false;
    const auto [first, length] = *std::prev(next);
    return begin - first < length && length - (begin - first) >= size;
  }

  // Takes these addresses out, which are all free.
  void cut(std::uintptr_t begin, std::size_t size) {
    const auto range = std::prev(by_begin_.upper_bound(begin));
    const std::size_t ahead = begin - range->first;
    const std::size_t behind = range->second - ahead - size;
    if (ahead > 0) {
      if (behind > 0) insert(begin + size, behind);  // first: it may throw
      resize(range, ahead);
    } else if (behind > 0) {
      move(range, begin + size, behind);
    } else {
      erase(range);
    }
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

  // These two need no memory.
  void resize(ByBegin::iterator range, std::size_t size) {
    auto node = by_size_.extract({range->second, range->first});
    node.value().first = size;
    by_size_.insert(std::move(node));
    range->second = size;
  }

  void move(ByBegin::iterator range, std::uintptr_t begin, std::size_t size) {
    auto size_node = by_size_.extract({range->second, range->first});
    auto begin_node = by_begin_.extract(range);
    size_node.value() = {size, begin};
    begin_node.key() = begin;
    begin_node.mapped() = size;
    by_size_.insert(std::move(size_node));
    by_begin_.insert(std::move(begin_node));
  }

  ByBegin by_begin_;
  std::set<std::pair<std::size_t, std::uintptr_t>> by_size_;
};

}  // namespace cairn
