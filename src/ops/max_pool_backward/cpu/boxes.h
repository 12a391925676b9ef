#pragma once

#include <algorithm>
#include <cstdint>

#include "common/view.h"
#include "ops/kit/span.h"

namespace cairn::max_pool_backward {

// Cells of a plane that follow each other in flat order: whole slices, whole rows of one slice, or part of a
// row.
struct Box {
  Span d;
  Span h;
  Span w;
};

// A plane cut into boxes of at most `most_cells` cells.
class Boxes {
 public:
  Boxes(Size3 in, std::int64_t most_cells)
      : in_(in),
        w_(piece(in.w, most_cells)),
        h_(w_ < in.w ? 1 : piece(in.h, most_cells / w_)),
        d_(h_ < in.h ? 1 : piece(in.d, most_cells / (w_ * h_))),
        per_row_(pieces(in.w, w_)),
        per_slice_(pieces(in.h, h_) * per_row_) {}

  // An empty plane still has one (empty) box: its windows may hold faults.
  std::int64_t count() const { return std::max<std::int64_t>(pieces(in_.d, d_) * per_slice_, 1); }
  std::int64_t cells() const { return d_ * h_ * w_; }

  Box operator[](std::int64_t i) const {
    if (in_.count() == 0) return {{0, 0}, {0, 0}, {0, 0}};
    const std::int64_t d = i / per_slice_ * d_;
    const std::int64_t h = i % per_slice_ / per_row_ * h_;
    const std::int64_t w = i % per_row_ * w_;
    return {{d, std::min(d + d_, in_.d)}, {h, std::min(h + h_, in_.h)}, {w, std::min(w + w_, in_.w)}};
  }

 private:
  static std::int64_t piece(std::int64_t size, std::int64_t most) {
    return std::clamp<std::int64_t>(most, 1, std::max<std::int64_t>(size, 1));
  }
  static std::int64_t pieces(std::int64_t size, std::int64_t piece) { return (size + piece - 1) / piece; }

  Size3 in_;
  std::int64_t w_;
  std::int64_t h_;
  std::int64_t d_;
  std::int64_t per_row_;
  std::int64_t per_slice_;
};

}  // namespace cairn::max_pool_backward
