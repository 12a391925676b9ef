// DOUBLE: windows that lie evenly spaced along W, or a window in channels side by side, as many in a vector;
// their taps one after the other.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "backend/kernel.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/max_pool/cpu/doubles.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/maximum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using cairn::HWY_NAMESPACE::Leader;

// 0, step, 2 * step, …
template <class D>
HWY_INLINE hn::Vec<D> multiples(D di, std::int64_t step) {
  HWY_ALIGN std::int64_t all[hn::MaxLanes(D())];
  for (std::size_t i = 0; i < hn::Lanes(di); ++i) all[i] = static_cast<std::int64_t>(i) * step;
  return hn::Load(di, all);
}

template <typename Index>
class Doubles {
 public:
  using Wide = hn::ScalableTag<double>;

  explicit Doubles(const Plan& plan) : p_(plan), axes_(plan), by_channels_(has_channels(plan)) {}

  void run(Workers& workers) const {
    const std::int64_t channels = by_channels_ ? p_.c : 1;
    const std::int64_t taps = std::min<std::int64_t>(p_.kernel.count(), 64);
    for_each_range(
        workers,
        {.count = p_.n * (p_.c / channels) * p_.out.d * p_.out.h, .elements = taps * p_.out.w * channels},
        [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
          for (std::int64_t row = begin; row < end; ++row) fill_row(row);
        });
  }

  static bool has_channels(const Plan& plan) {
    return plan.c > 1 && plan.self.c == 1 && plan.values.c == 1 && plan.indices.c == 1;
  }

 private:
  // Windows that differ by their place alone.
  struct Windows {
    const double* plane;
    double* values;
    Index* indices;
    std::int64_t d, h;
    std::int64_t w;  // the first
    Span taps;       // along W
    std::int64_t count;
    std::int64_t read_step;  // from one to the next
    std::int64_t position_step;
    std::int64_t value_step;
    std::int64_t index_step;
  };

  void fill_row(std::int64_t row) const {
    const std::int64_t h = row % p_.out.h;
    const std::int64_t d = row / p_.out.h % p_.out.d;
    const std::int64_t plane = row / p_.out.h / p_.out.d;
    const std::int64_t n = by_channels_ ? plane : plane / p_.c;
    const std::int64_t c = by_channels_ ? 0 : plane % p_.c;
    const auto place = [&](const View5& view) { return n * view.n + c * view.c + d * view.d + h * view.h; };
    Windows it{static_cast<const double*>(p_.self.data) + n * p_.self.n + c * p_.self.c,
               static_cast<double*>(p_.values.data) + place(p_.values),
               static_cast<Index*>(p_.indices.data) + place(p_.indices),
               d,
               h,
               0,
               {},
               0,
               0,
               0,
               0,
               0};
    if (by_channels_) {
      it.count = p_.c;
      it.read_step = it.value_step = it.index_step = 1;
    } else {
      it.read_step = p_.stride.w * p_.self.w;
      it.position_step = p_.stride.w;
      it.value_step = p_.values.w;
      it.index_step = p_.indices.w;
    }
    while (it.w < p_.out.w) {
      it.taps = axes_.w.taps(it.w);
      std::int64_t alike = 1;
      if (!by_channels_) {
        while (p_.stride.w != 0 && it.w + alike < p_.out.w && axes_.w.taps(it.w + alike) == it.taps) ++alike;
        it.count = alike;
      }
      fill(Wide(), it, 0);
      it.w += alike;
      it.values += alike * p_.values.w;
      it.indices += alike * p_.indices.w;
    }
  }

  // From window `first` on.
  template <class D>
  HWY_INLINE void fill(D d, const Windows& it, std::int64_t first) const {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    for (; first + lanes <= it.count; first += lanes) fill_vector(d, it, first);
    if constexpr (hn::MaxLanes(D()) > 1) {
      if (first < it.count) fill(hn::Half<D>(), it, first);
    }
  }

  template <class D>
  HWY_INLINE void fill_vector(D d, const Windows& it, std::int64_t first) const {
    if (it.read_step == 1) {
      fill_vector<D>(it, first, [d](const double* from) HWY_ATTR { return hn::LoadU(d, from); });
    } else if (it.read_step == 2) {
      fill_vector<D>(it, first, [d](const double* from) HWY_ATTR { return load_every_other(d, from); });
    } else {
      const auto steps = multiples(hn::RebindToSigned<D>(), it.read_step);
      fill_vector<D>(it, first,
                     [d, steps](const double* from) HWY_ATTR { return hn::GatherIndex(d, from, steps); });
    }
  }

  template <class D, class Load>
  HWY_INLINE void fill_vector(const Windows& it, std::int64_t first, const Load& load) const {
    const D d;
    const hn::RebindToSigned<D> di;
    // The first tap counts whatever it is: it cannot be less, and a NaN takes over.
    Leader<D> best{hn::Set(d, -std::numeric_limits<double>::infinity()), hn::Set(di, -1)};
    const Span taps_d = axes_.d.taps(it.d);
    const Span taps_h = axes_.h.taps(it.h);
    const auto steps = multiples(di, it.position_step);
    if (taps_d.size() * taps_h.size() * it.taps.size() > 0) {
      const std::int64_t position =
          (axes_.d.cell(it.d, taps_d.begin) * p_.in.h + axes_.h.cell(it.h, taps_h.begin)) * p_.in.w +
          axes_.w.cell(it.w, it.taps.begin) + first * it.position_step;
      best.position = hn::Add(steps, hn::Set(di, position));
    }
    for (std::int64_t i = taps_d.begin; i < taps_d.end; ++i) {
      const std::int64_t z = axes_.d.cell(it.d, i);
      for (std::int64_t j = taps_h.begin; j < taps_h.end; ++j) {
        const std::int64_t y = axes_.h.cell(it.h, j);
        const double* line = it.plane + z * p_.self.d + y * p_.self.h + first * it.read_step;
        const std::int64_t position = (z * p_.in.h + y) * p_.in.w + first * it.position_step;
        for (std::int64_t k = it.taps.begin; k < it.taps.end; ++k) {
          const std::int64_t x = axes_.w.cell(it.w, k);
          best.template meet<true>(load(line + x * p_.self.w), hn::Add(steps, hn::Set(di, position + x)));
        }
      }
    }
    store(d, best, it, first);
  }

  // Nothing behind the last is read.
  template <class D>
  static HWY_INLINE hn::Vec<D> load_every_other(D d, const double* from) {
#if HWY_TARGET != HWY_SCALAR
    if constexpr (hn::MaxLanes(D()) > 1) {
      const auto low = hn::LoadU(d, from);
      const auto high = hn::LoadU(d, from + hn::Lanes(d) - 1);
      return hn::ConcatUpperLower(d, hn::ConcatOdd(d, high, high), hn::ConcatEven(d, low, low));
    }
#endif
    return hn::LoadU(d, from);
  }

  template <class D>
  static HWY_INLINE void store(D d, const Leader<D>& best, const Windows& it, std::int64_t first) {
    const hn::RebindToSigned<D> di;
    HWY_ALIGN double values[hn::MaxLanes(D())];
    HWY_ALIGN std::int64_t positions[hn::MaxLanes(D())];
    hn::Store(best.value, d, values);
    hn::Store(best.position, di, positions);
    for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane) {
      const std::int64_t o = first + static_cast<std::int64_t>(lane);
      it.values[o * it.value_step] = values[lane];
      it.indices[o * it.index_step] = static_cast<Index>(positions[lane]);
    }
  }

  const Plan& p_;
  const WindowAxes axes_;
  const bool by_channels_;
};

void run_doubles(const Plan& plan, Workers& workers) {
  with_index_type(plan.index_type, [&]<typename Index>() { Doubles<Index>(plan).run(workers); });
}

}  // namespace cairn::max_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::max_pool::doubles {

const char* why_not(const Plan& plan) {
  if (plan.type != DataType::kDouble) return "elements are no doubles";
  if (float_lanes() == 1) return "this machine has no vectors";
  if (plan.index_type == DataType::kInt8 || !is_aligned(plan.indices, size_of(plan.index_type)))
    return "indices are a mask, or lie anywhere";
  return nullptr;
}

CAIRN_RUN_KERNEL(run_doubles)

}  // namespace cairn::max_pool::doubles
#endif
