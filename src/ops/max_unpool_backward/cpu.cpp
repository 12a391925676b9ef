#include "ops/max_unpool_backward/cpu.h"

#include <hwy/cache_control.h>

#include <algorithm>

#include "ops/kernel/first_fault.h"
#include "ops/kernel/merged_plane.h"
#include "ops/kernel/split.h"
#include "ops/kernel/stream_writer.h"
#include "ops/max_unpool_backward/cpu_source.h"

namespace cairn::max_unpool_backward {
namespace {

// Element is any type of the right size: bits are copied, never interpreted.
template <typename Element, typename Index, typename Source>
class Gather {
 public:
  explicit Gather(const Plan& plan)
      : plan_(plan),
        indices_(merge_plane(plan.pooled, plan.indices)),
        source_(merge_plane(plan.unpooled, plan.grad_output)),
        pooled_count_(plan.pooled.count()),
        unpooled_count_(plan.unpooled.count()),
        total_(plan.n * plan.c * pooled_count_) {}

  std::optional<IndexFault> run(Workers& workers) const {
    constexpr std::int64_t kGrain = 16384;
    constexpr std::int64_t kLine = 64;
    const std::int64_t planes = plan_.n * plan_.c;
    const auto element = static_cast<std::int64_t>(sizeof(Element));
    const bool streaming = streams_past_cache(total_ * (element + static_cast<std::int64_t>(sizeof(Index))) +
                                              planes * unpooled_count_ * element);
    FirstFault first;
    for_each_range(workers, total_, kGrain, kLine, [&](std::int64_t begin, std::int64_t end) {
      first.note(fill_range(begin, end, streaming));
    });
    return first.get();
  }

 private:
  static constexpr auto kBlock = static_cast<std::int64_t>(StreamWriter::kRoom / sizeof(Element));
  // The processor foresees dense reads itself; wide elements spread theirs over too many lines for that.
  static constexpr bool kPrefetches = sizeof(Element) >= 4;
  static constexpr std::int64_t kAhead = 16;

  // out[begin, end), counted over the whole tensor.
  std::optional<IndexFault> fill_range(std::int64_t begin, std::int64_t end, bool streaming) const {
    std::optional<IndexFault> fault;
    StreamWriter writer(streaming);
    auto* out = static_cast<Element*>(plan_.out.data);
    std::int64_t n = begin / pooled_count_ / plan_.c;
    std::int64_t c = begin / pooled_count_ % plan_.c;
    std::int64_t cell = begin % pooled_count_;
    while (begin < end) {
      const std::int64_t count = std::min({end - begin, pooled_count_ - cell, kBlock});
      const Plane plane{
          static_cast<const Index*>(plan_.indices.data) + n * plan_.indices.n + c * plan_.indices.c,
          static_cast<const Element*>(plan_.grad_output.data) + n * plan_.grad_output.n +
              c * plan_.grad_output.c,
          begin - cell};
      fill_cells(plane, cell, count, writer.room(out + begin, count), fault);
      begin += count;
      cell += count;
      if (cell == pooled_count_) {
        cell = 0;
        if (++c == plan_.c) c = 0, ++n;
      }
    }
    return fault;
  }

  struct Plane {
    const Index* indices;
    const Element* grad_output;
    std::int64_t first_position;  // of this plane's cells among all
  };

  void fill_cells(const Plane& plane, std::int64_t cell, std::int64_t count, Element* to,
                  std::optional<IndexFault>& fault) const {
    if (indices_.is_one_run()) {
      fill_run(plane, cell, plane.indices + cell * indices_.stride_w, count, pooled_count_ - cell, to, fault);
      return;
    }
    const std::int64_t width = indices_.size.w;
    std::int64_t w = cell % width;
    std::int64_t h = cell / width % indices_.size.h;
    std::int64_t d = cell / width / indices_.size.h;
    while (count > 0) {
      const std::int64_t run = std::min(count, width - w);
      const Index* row =
          plane.indices + d * indices_.stride_d + h * indices_.stride_h + w * indices_.stride_w;
      fill_run(plane, cell, row, run, width - w, to, fault);
      cell += run;
      to += run;
      count -= run;
      w = 0;
      if (++h == indices_.size.h) h = 0, ++d;
    }
  }

  // `known` ≥ count cells of the run may be read ahead.
  void fill_run(const Plane& plane, std::int64_t cell, const Index* HWY_RESTRICT indices, std::int64_t count,
                std::int64_t known, Element* HWY_RESTRICT to, std::optional<IndexFault>& fault) const {
    // Copies: a store through `to` may otherwise change anything the compiler would like to keep in
    // registers.
    const std::int64_t stride = indices_.stride_w;
    const Source source = source_;
    const Element* HWY_RESTRICT grad_output = plane.grad_output;
    const auto limit = static_cast<std::uint64_t>(unpooled_count_);
    const std::int64_t prefetched = kPrefetches ? std::clamp<std::int64_t>(known - kAhead, 0, count) : 0;

    std::int64_t stray = count;  // the first cell whose index is neither in the plane nor -1
    const auto take = [&](std::int64_t i) {
      const std::int64_t index = indices[i * stride];
      if (static_cast<std::uint64_t>(index) < limit) [[likely]] {
        to[i] = grad_output[source.offset(static_cast<std::uint64_t>(index))];
        return;
      }
      to[i] = 0;
      if (index != -1) stray = std::min(stray, i);
    };
    std::int64_t i = 0;
    for (; i < prefetched; ++i) {
      const std::int64_t later = indices[(i + kAhead) * stride];
      if (static_cast<std::uint64_t>(later) < limit) [[likely]] {
        hwy::Prefetch(grad_output + source.offset(static_cast<std::uint64_t>(later)));
      }
      take(i);
    }
    for (; i < count; ++i) take(i);
    if (stray < count && !fault) {
      fault = IndexFault{plane.first_position + cell + stray, indices[stray * stride], unpooled_count_};
    }
  }

  const Plan& plan_;
  const MergedPlane indices_;
  const Source source_;
  const std::int64_t pooled_count_;
  const std::int64_t unpooled_count_;
  const std::int64_t total_;
};

template <typename Element, typename Index>
std::optional<IndexFault> run_typed(const Plan& plan, Workers& workers) {
  if (merge_plane(plan.unpooled, plan.grad_output).is_one_run()) {
    return Gather<Element, Index, StridedSource>(plan).run(workers);
  }
  return Gather<Element, Index, RowsSource>(plan).run(workers);
}

template <typename Element>
std::optional<IndexFault> run_sized(const Plan& plan, Workers& workers) {
  return plan.index_type == DataType::kInt32 ? run_typed<Element, std::int32_t>(plan, workers)
                                             : run_typed<Element, std::int64_t>(plan, workers);
}

}  // namespace

std::optional<IndexFault> run_on_cpu(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return std::nullopt;
  switch (size_of(plan.type)) {
    case 1:
      return run_sized<std::uint8_t>(plan, workers);
    case 2:
      return run_sized<std::uint16_t>(plan, workers);
    case 4:
      return run_sized<std::uint32_t>(plan, workers);
    default:
      return run_sized<std::uint64_t>(plan, workers);
  }
}

}  // namespace cairn::max_unpool_backward
