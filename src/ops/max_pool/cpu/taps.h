#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/kit/window_axis.h"
#include "ops/max_pool/plan.h"

namespace cairn::max_pool {

// A tap, or a row of them.
template <typename T>
struct Source {
  const T* from;
  std::int32_t position;  // in the plane
};

// How much further windows lie.
struct Move {
  std::int64_t elements;   // in memory
  std::int32_t positions;  // in the plane
};

// The taps of a window: those of another, moved.
template <typename T>
struct Taps {
  const Source<T>* of;
  std::int64_t count;
  Move moved;
  std::int64_t ahead;  // to those of a window that is computed soon, in elements

  const T* from(std::int64_t k) const { return of[k].from + moved.elements; }
  std::int32_t position(std::int64_t k) const { return of[k].position + moved.positions; }
};

// Finds the taps of windows of one row after the other.
template <typename T>
class TapFinder {
 public:
  TapFinder(const Plan& plan, const WindowAxes& axes) : p_(plan), axes_(axes) {
    // Channels of a window's taps lie in pieces, whose order no processor foresees. Two threads of an EPYC,
    // least ms with prefetches and without: 64 images of 64x112x112, 3 s2, FLOAT 7.5 and 9.8, FLOAT16 4.5
    // and 6.5; 64 of 256x56x56 to 7x7, 5.6 and 5.8, 2.5 and 4.2.
    constexpr std::int64_t kAhead = 4096 / sizeof(T);
    const std::int64_t cells =
        std::min(axes.w.is_uneven() ? axes.w.in / axes.w.out : axes.w.stride, axes.w.in);
    const std::int64_t step = std::max<std::int64_t>(cells * plan.self.w, 1);
    ahead_ = (kAhead + step - 1) / step * step;
  }

  // The rows of a plane that windows in row h of slice d look at, from cell w on.
  const std::vector<Source<T>>& find_rows(const T* plane, std::int64_t d, std::int64_t h, std::int64_t w) {
    rows_.clear();
    taps_.clear();
    const Span taps_d = axes_.d.taps(d);
    const Span taps_h = axes_.h.taps(h);
    const std::int64_t start_d = axes_.d.start(d);
    const std::int64_t start_h = axes_.h.start(h);
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      const std::int64_t z = start_d + i * axes_.d.dilation;
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const std::int64_t y = start_h + j * axes_.h.dilation;
        rows_.push_back({plane + z * p_.self.d + y * p_.self.h + w * p_.self.w,
                         static_cast<std::int32_t>((z * p_.in.h + y) * p_.in.w + w)});
      }
    }
    return rows_;
  }

  // Of those rows, from cell 0 on, the taps of window o. Most windows have theirs as their neighbours do.
  Taps<T> find(std::int64_t o) {
    const Span taps = axes_.w.taps(o);
    const std::int64_t start = axes_.w.start(o);
    if (taps_.empty() || taps != along_w_) {
      taps_.clear();
      along_w_ = taps;
      start_ = start;
      for (const Source<T>& row : rows_) {
        for (std::int64_t k = taps.begin; k < taps.end; ++k) {
          const std::int64_t w = axes_.w.cell(o, k);
          taps_.push_back({row.from + w * p_.self.w, row.position + static_cast<std::int32_t>(w)});
        }
      }
    }
    return {taps_.data(), static_cast<std::int64_t>(taps_.size()), move_along_w(start - start_), ahead_};
  }

  // Whether window o has the same taps as the one found last, moved.
  bool is_like_last(std::int64_t o) const { return axes_.w.taps(o) == along_w_; }

  Move move_along_w(std::int64_t cells) const {
    return {cells * p_.self.w, static_cast<std::int32_t>(cells)};
  }

 private:
  const Plan& p_;
  const WindowAxes& axes_;
  std::vector<Source<T>> rows_;
  std::vector<Source<T>> taps_;  // of one window
  Span along_w_;
  std::int64_t start_ = 0;  // of that window
  std::int64_t ahead_;
};

}  // namespace cairn::max_pool
