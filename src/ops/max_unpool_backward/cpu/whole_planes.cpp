#include <algorithm>
#include <cstdint>

#include "backend/kernel.h"
#include "ops/kit/cpu/first_fault.h"
#include "ops/kit/cpu/indexed_planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/max_unpool_backward/cpu/gather.h"
#include "ops/max_unpool_backward/plan.h"

// Two cores, ms with it and without: u3-4x4x4 backward 0.15 and 0.28, u2-2x2 backward 0.41 and 4.4.
namespace cairn::max_unpool_backward::whole_planes {
namespace {

constexpr auto kMostBytes = static_cast<std::int64_t>(StreamWriter::kRoom);

template <typename Element, typename Index>
class Method {
 public:
  explicit Method(const Plan& plan)
      : indices_(static_cast<const Index*>(plan.indices.data)),
        grad_output_(static_cast<const Element*>(plan.grad_output.data)),
        out_(static_cast<Element*>(plan.out.data)),
        planes_(plan.n * plan.c),
        pooled_(plan.pooled.count()),
        unpooled_(plan.unpooled.count()),
        streaming_(writes_past_cache(plan)) {}

  std::optional<IndexFault> run(Workers& workers) const {
    FirstFault first;
    for_each_range(workers, {.count = planes_, .elements = pooled_},
                   [&](std::int64_t begin, std::int64_t end) {
                     first.note(fill({begin, end}));
                   });
    return first.get();
  }

 private:
  std::optional<IndexFault> fill(Span planes) const {
    StreamWriter writer(streaming_);
    const std::int64_t step = kMostBytes / static_cast<std::int64_t>(sizeof(Element)) / pooled_;
    std::int64_t bad = kNoFault;
    for (std::int64_t plane = planes.begin; plane < planes.end; plane += step) {
      const std::int64_t count = std::min(step, planes.end - plane);
      bad = std::min(bad, take(plane, count, writer.room(out_ + plane * pooled_, count * pooled_)));
    }
    return fault_at(bad, indices_, unpooled_);
  }

  std::int64_t take(std::int64_t plane, std::int64_t count, Element* to) const {
    return with_common_count(pooled_,
                             [&]<std::int64_t kPooled>() { return take<kPooled>(plane, count, to); });
  }

  // Returns the first cell whose index is neither in the plane nor -1.
  template <std::int64_t kPooled>
  std::int64_t take(std::int64_t plane, std::int64_t count, Element* HWY_RESTRICT to) const {
    const std::int64_t pooled = kPooled == 0 ? pooled_ : kPooled;
    const Index* HWY_RESTRICT indices = indices_ + plane * pooled;
    const Element* HWY_RESTRICT from = grad_output_ + plane * unpooled_;
    const std::int64_t unpooled = unpooled_;
    std::int64_t bad = kNoFault;
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t i = 0; i < pooled; ++i) {
        const std::int64_t index = indices[i];
        if (static_cast<std::uint64_t>(index) < static_cast<std::uint64_t>(unpooled)) [[likely]] {
          to[i] = from[index];
        } else {
          to[i] = 0;
          if (index != -1) bad = std::min(bad, (plane + k) * pooled + i);
        }
      }
      to += pooled;
      indices += pooled;
      from += unpooled;
    }
    return bad;
  }

  const Index* indices_;
  const Element* grad_output_;
  Element* out_;
  std::int64_t planes_;
  std::int64_t pooled_;
  std::int64_t unpooled_;
  bool streaming_;
};

}  // namespace

const char* why_not(const Plan& plan) {
  if (const char* reason = why_not_contiguous(plan)) return reason;
  if (!is_dense(plan.indices, plan.n, plan.c, plan.pooled)) return "indices have gaps";
  if (!is_dense(plan.grad_output, plan.n, plan.c, plan.unpooled)) return "gradOutput has gaps";
  if (std::max(plan.pooled.count(), plan.unpooled.count()) * size_of(plan.type) > kMostBytes)
    return "planes have more than 4 KiB";
  return nullptr;
}

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.pooled.count() == 0) return std::nullopt;
  return with_bits_and_index_type(plan.type, plan.index_type, [&]<typename Element, typename Index>() {
    return Method<Element, Index>(plan).run(workers);
  });
}

}  // namespace cairn::max_unpool_backward::whole_planes
