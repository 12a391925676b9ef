#include <cstddef>
#include <optional>

#include "backend/kernel.h"
#include "ops/kit/cpu/cast.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

namespace cairn::max_unpool_backward::converted {
namespace {

// An out with gaps or of another type than gradOutput's is stored from a stage.
template <typename Element>
class AnyOut {
 public:
  explicit AnyOut(const Plan& plan) : plan_(plan), places_(merge_plane(plan.pooled, plan.out)) {
    if (why_not_contiguous(plan) == nullptr) dense_.emplace(plan);
  }

  bool stages() const { return !dense_ || dense_->stages(); }
  Element* room(const Cells& cells, Element* stage) const {
    return dense_ ? dense_->room(cells, stage) : stage;
  }
  void store(const Cells& cells, const Element* from) {
    if (dense_) return dense_->store(cells, from);
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
  std::optional<DenseOut<Element>> dense_;
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

template <typename Element, typename Index>
std::optional<IndexFault> gather(const Plan& plan, Workers& workers) {
  const MergedPlane source = merge_plane(plan.unpooled, plan.grad_output);
  if (source.is_one_run() && source.stride_w == 1)
    return Gather<Element, Index, DensePlaces, Order::kFlat, AnyOut<Element>>(plan).run(workers);
  const RowPlaces places(source);
  if (!TablePlaces::fits(plan))
    return Gather<Element, Index, RowPlaces, Order::kFlat, AnyOut<Element>>(plan, places).run(workers);
  std::int32_t offsets[TablePlaces::kMost];
  const TablePlaces table(places, plan.unpooled.count(), offsets);
  return Gather<Element, Index, TablePlaces, Order::kFlat, AnyOut<Element>>(plan, table).run(workers);
}

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return gather<Element, Index>(plan, workers);
  });
}

}  // namespace cairn::max_unpool_backward::converted
