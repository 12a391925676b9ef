#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/flat_places.h"
#include "ops/max_unpool/cpu/direct.h"
#include "ops/max_unpool/cpu/scatter.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool::strided {
namespace {

template <typename Element>
class Window {
 public:
  struct Memory {};
  using Direct = Window;

  explicit Window(const Plan& plan) : places_(merge_plane(plan.unpooled, plan.out)) {}
  Window(const Plan& plan, std::int64_t /*reach*/, const Memory& /*memory*/) : Window(plan) {}

  void start(const Cells<Element>& cells) {
    cells_ = cells;
    places_.for_each_run(cells.range, [&](std::int64_t offset, std::int64_t count) {
      Element* to = cells.out + offset;
      for (std::int64_t i = 0; i < count; ++i) to[i * places_.stride()] = 0;
    });
  }
  void finish() {}
  void abandon() {}

  Element* slots() const { return cells_.out; }
  std::uint64_t slot(std::uint64_t cell) const { return static_cast<std::uint64_t>(places_.offset(cell)); }
  std::int64_t base() const { return cells_.range.begin; }
  std::int64_t span() const { return cells_.range.size(); }
  bool put_elsewhere(std::int64_t /*cell*/, Element /*value*/) { return true; }

 private:
  RowPlaces places_;
  Cells<Element> cells_{};
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) { return scatter<Window>(plan, workers); }

}  // namespace cairn::max_unpool::strided
