#include <algorithm>
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

  explicit Window(const Plan& plan)
      : places_(merge_plane(plan.unpooled, plan.out)),
        whole_(merge_in_memory_order(plan.unpooled, plan.out)) {}
  Window(const Plan& plan, std::int64_t /*reach*/, const Memory& /*memory*/) : Window(plan) {}

  void start(const Cells<Element>& cells) {
    cells_ = cells;
    if (cells.range.size() == whole_.size.count()) return zero_plane(cells.out);
    places_.for_each_run(cells.range, [&](std::int64_t offset, std::int64_t count) {
      zero_run(cells.out + offset, places_.stride(), count);
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
  static void zero_run(Element* to, std::int64_t stride, std::int64_t count) {
    if (stride == 1) {
      std::fill_n(to, count, Element{0});
      return;
    }
    for (std::int64_t i = 0; i < count; ++i) to[i * stride] = 0;
  }
  void zero_plane(Element* out) const {
    for (std::int64_t d = 0; d < whole_.size.d; ++d) {
      for (std::int64_t h = 0; h < whole_.size.h; ++h)
        zero_run(out + d * whole_.stride_d + h * whole_.stride_h, whole_.stride_w, whole_.size.w);
    }
  }

  RowPlaces places_;
  MergedPlane whole_;
  Cells<Element> cells_{};
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) { return scatter<Window>(plan, workers); }

}  // namespace cairn::max_unpool::strided
