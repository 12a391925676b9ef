#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool::in_place {
namespace {

template <typename Element>
class Window {
 public:
  struct Memory {};

  Window(const Plan& /*plan*/, std::int64_t /*reach*/, const Memory& /*memory*/) {}

  void start(const Cells<Element>& cells) {
    cells_ = cells;
    std::fill(cells.out + cells.range.begin, cells.out + cells.range.end, Element{0});
  }
  void finish() {}

  Element* slots() const { return cells_.out; }
  std::uint64_t slot(std::uint64_t cell) const { return cell; }
  std::int64_t base() const { return cells_.range.begin; }
  std::int64_t span() const { return cells_.range.size(); }
  void put_elsewhere(std::int64_t /*cell*/, Element /*value*/) {}

 private:
  Cells<Element> cells_{};
};

}  // namespace

const char* why_not(const Plan& plan) { return why_not_contiguous(plan); }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) { return scatter<Window>(plan, workers); }

}  // namespace cairn::max_unpool::in_place
