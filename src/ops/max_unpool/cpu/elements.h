#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/kit/cpu/merged_plane.h"
#include "ops/kit/span.h"
#include "ops/max_unpool/plan.h"

namespace cairn::max_unpool {

// The elements of self with their indices, in the order in which they count.
template <typename Element, typename Index>
class Elements {
 public:
  explicit Elements(const Plan& plan) : plan_(plan) {
    const MergedPlane self = merge_plane(plan.pooled, plan.self);
    const MergedPlane indices = merge_plane(plan.pooled, plan.indices);
    if (self.is_one_run() && indices.is_one_run()) {
      rows_ = {1, 1, plan.pooled.count()};
      self_stride_ = self.stride_w;
      index_stride_ = indices.stride_w;
    } else {
      rows_ = plan.pooled;
      self_stride_ = plan.self.w;
      index_stride_ = plan.indices.w;
    }
  }

  struct Run {
    const Element* self;
    const Index* indices;
    std::int64_t self_stride;
    std::int64_t index_stride;
    std::int64_t first;  // its flat position in the plane
    std::int64_t count;
  };

  // Calls body(run) for the runs that these positions of a plane consist of, until one returns false.
  template <typename Body>
  bool for_each_run(std::int64_t plane, Span positions, const Body& body) const {
    if (positions.size() == 0) return true;
    const std::int64_t n = plane / plan_.c;
    const std::int64_t c = plane % plan_.c;
    const auto* self = static_cast<const Element*>(plan_.self.data) + n * plan_.self.n + c * plan_.self.c;
    const auto* indices =
        static_cast<const Index*>(plan_.indices.data) + n * plan_.indices.n + c * plan_.indices.c;
    std::int64_t w = positions.begin % rows_.w;
    std::int64_t h = positions.begin / rows_.w % rows_.h;
    std::int64_t d = positions.begin / rows_.w / rows_.h;
    for (std::int64_t i = positions.begin; i < positions.end;) {
      const std::int64_t count = std::min(rows_.w - w, positions.end - i);
      const Run run{self + d * plan_.self.d + h * plan_.self.h + w * self_stride_,
                    indices + d * plan_.indices.d + h * plan_.indices.h + w * index_stride_,
                    self_stride_,
                    index_stride_,
                    i,
                    count};
      if (!body(run)) return false;
      i += count;
      w = 0;
      if (++h == rows_.h) h = 0, ++d;
    }
    return true;
  }

 private:
  const Plan& plan_;
  Size3 rows_;  // runs: the whole plane if both are dense
  std::int64_t self_stride_;
  std::int64_t index_stride_;
};

}  // namespace cairn::max_unpool
