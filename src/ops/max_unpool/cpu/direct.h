#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/span.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// Some cells of one plane of out, zero where nothing is put.
template <typename Element>
struct Cells {
  Element* out;  // cell 0 of the plane
  Span range;
};

// Cells side by side, written where they lie.
template <typename Element>
class DirectWindow {
 public:
  struct Memory {};
  using Direct = DirectWindow;

  explicit DirectWindow(const Plan& /*plan*/) {}
  DirectWindow(const Plan& /*plan*/, std::int64_t /*reach*/, const Memory& /*memory*/) {}

  void start(const Cells<Element>& cells) {
    cells_ = cells;
    std::fill(cells.out + cells.range.begin, cells.out + cells.range.end, Element{0});
  }
  void finish() {}
  void abandon() {}

  Element* slots() const { return cells_.out; }
  std::uint64_t slot(std::uint64_t cell) const { return cell; }
  std::int64_t base() const { return cells_.range.begin; }
  std::int64_t span() const { return cells_.range.size(); }
  bool put_elsewhere(std::int64_t /*cell*/, Element /*value*/) { return true; }

 private:
  Cells<Element> cells_{};
};

}  // namespace cairn::max_unpool
