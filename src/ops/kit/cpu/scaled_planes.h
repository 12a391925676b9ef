#pragma once

#include <cstdint>
#include <utility>

#include "common/view.h"
#include "ops/kit/scale_axis.h"

namespace cairn {

// Planes of a tensor that are resized into those of another, the way a kernel walks them: along W lie
// neighbours, and channels that lie side by side in both tensors belong to a cell.
struct ScaledPlanes {
  ScaleAxis d, h, w;
  View5 read, written;
  std::int64_t n, c;          // planes
  std::int64_t channels = 1;  // side by side, or 1

  // `with_channels` false: each channel is a plane of its own, wherever it lies.
  template <typename Plan>
  ScaledPlanes(const Plan& plan, const View5& from, const View5& to, bool with_channels = true)
      : d{plan.in.d, plan.out.d, plan.scale_d, plan.shift},
        h{plan.in.h, plan.out.h, plan.scale_h, plan.shift},
        w{plan.in.w, plan.out.w, plan.scale_w, plan.shift},
        read(from),
        written(to),
        n(plan.n),
        c(plan.c) {
    // Neighbours along W make the vectors, so an axis that is there in name only must not be W.
    for (int i = 0; i < 2 && w.is_trivial(); ++i) {
      w = std::exchange(h, std::exchange(d, ScaleAxis{1, 1, 1.0F}));
      read.w = std::exchange(read.h, std::exchange(read.d, 0));
      written.w = std::exchange(written.h, std::exchange(written.d, 0));
    }
    if (with_channels && c > 1 && read.c == 1 && written.c == 1) std::swap(c, channels);
  }

  std::int64_t cells() const { return n * c * d.in * h.in * w.in * channels; }
  std::int64_t positions() const { return n * c * d.out * h.out * w.out * channels; }
};

}  // namespace cairn
