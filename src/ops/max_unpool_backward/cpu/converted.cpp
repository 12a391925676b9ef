#include <cstddef>

#include "backend/kernel.h"
#include "ops/kit/cpu/cast.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::converted {
namespace {

class CastOut {
 public:
  explicit CastOut(const Plan& plan) : plan_(plan), places_(merge_plane(plan.pooled, plan.out)) {}

  static bool stages() { return true; }
  template <typename Element>
  static Element* room(const Cells& /*cells*/, Element* stage) {
    return stage;
  }
  template <typename Element>
  void store(const Cells& cells, const Element* from) const {
    const std::int64_t slice = cells.n * plan_.out.n + cells.c * plan_.out.c;
    places_.for_each_run(cells.range, [&](std::int64_t offset, std::int64_t count) {
      std::byte* to = static_cast<std::byte*>(plan_.out.data) + (slice + offset) * size_of(plan_.out_type);
      cast_row(plan_.type, from, plan_.out_type, to, places_.stride(), count);
      from += count;
    });
  }

 private:
  const Plan& plan_;
  const RowPlaces places_;
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    const MergedPlane source = merge_plane(plan.unpooled, plan.grad_output);
    if (source.is_one_run() && source.stride_w == 1)
      return Gather<Element, Index, DensePlaces, Order::kFlat, CastOut>(plan).run(workers);
    return Gather<Element, Index, RowPlaces, Order::kFlat, CastOut>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::converted
