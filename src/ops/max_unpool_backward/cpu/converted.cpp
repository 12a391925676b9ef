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

// Where the elements of a small plane lie, looked up: it is worked out once for all planes.
class TablePlaces {
 public:
  static constexpr std::int64_t kMost = 4096;

  static bool fits(const Plan& plan) {
    const std::int64_t count = plan.unpooled.count();
    const MergedPlane plane = merge_plane(plan.unpooled, plan.grad_output);
    const std::int64_t reach = (plane.size.d - 1) * plane.stride_d + (plane.size.h - 1) * plane.stride_h +
                               (plane.size.w - 1) * plane.stride_w;
    return count <= kMost && reach <= INT32_MAX && plan.n * plan.c * plan.pooled.count() >= 4 * count;
  }

  TablePlaces(const RowPlaces& places, std::int64_t count, std::int32_t* room) : offsets_(room) {
    for (std::int64_t i = 0; i < count; ++i)
      room[i] = static_cast<std::int32_t>(places.offset(static_cast<std::uint64_t>(i)));
  }
  std::int64_t offset(std::uint64_t position) const { return offsets_[position]; }

 private:
  const std::int32_t* offsets_;
};

template <typename Element, typename Index, typename Out>
std::optional<IndexFault> gather_rows(const Plan& plan, Workers& workers) {
  const RowPlaces places(merge_plane(plan.unpooled, plan.grad_output));
  if (!TablePlaces::fits(plan))
    return Gather<Element, Index, RowPlaces, Order::kFlat, Out>(plan, places).run(workers);
  std::int32_t offsets[TablePlaces::kMost];
  const TablePlaces table(places, plan.unpooled.count(), offsets);
  return Gather<Element, Index, TablePlaces, Order::kFlat, Out>(plan, table).run(workers);
}

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    const MergedPlane source = merge_plane(plan.unpooled, plan.grad_output);
    if (source.is_one_run() && source.stride_w == 1)
      return Gather<Element, Index, DensePlaces, Order::kFlat, CastOut>(plan).run(workers);
    if (why_not_contiguous(plan) == nullptr)
      return gather_rows<Element, Index, DenseOut<Element>>(plan, workers);
    return gather_rows<Element, Index, CastOut>(plan, workers);
  });
}

}  // namespace cairn::max_unpool_backward::converted
