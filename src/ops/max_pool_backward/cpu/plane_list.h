#pragma once

#include <cstdint>

#include "common/view.h"
#include "ops/kit/cpu/flat_places.h"

namespace cairn::max_pool_backward {

// One of a call's tensors as planes, numbered across its images.
template <typename E>
class PlaneList {
 public:
  PlaneList(const View5& view, std::int64_t n, std::int64_t c, const Size3& size)
      : view_(view),
        c_(c),
        cells_(size.count()),
        dense_(is_dense(view, size)),
        side_by_side_(is_dense(view, n, c, size)),
        places_(merge_plane(size, view)) {}

  E* operator[](std::int64_t plane) const {
    E* data = static_cast<E*>(view_.data);
    if (side_by_side_) return data + plane * cells_;
    return data + plane / c_ * view_.n + plane % c_ * view_.c;
  }

  // The planes follow each other without gaps.
  bool side_by_side() const { return side_by_side_; }

  // Calls body(from, stride, count) for the runs that these positions of a plane consist of.
  template <typename Body>
  void for_each_run(std::int64_t plane, Span positions, const Body& body) const {
    E* first = (*this)[plane];
    if (dense_) return body(first + positions.begin, std::int64_t{1}, positions.size());
    places_.for_each_run(positions, [&](std::int64_t offset, std::int64_t count) {
      body(first + offset, places_.stride(), count);
    });
  }

 private:
  View5 view_;
  std::int64_t c_;
  std::int64_t cells_;
  bool dense_;
  bool side_by_side_;
  RowPlaces places_;
};

}  // namespace cairn::max_pool_backward
