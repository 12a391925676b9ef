// One window a plane, which has all of it, and planes without gaps: each is filled with one value.

#include <algorithm>
#include <cstdint>

#include "ops/candidate.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/mean_pool_backward/cpu/share_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/mean_pool_backward/cpu/fills.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

// Small planes without gaps between them: as many as a vector has lanes are as many vectors as a plane has
// cells, and which plane each lane of those is of is the same for all groups.
template <typename Sum>
class PlaneLanes {
 public:
  using D = hn::ScalableTag<Sum>;
  using Place = hn::TFromD<hn::RebindToSigned<D>>;
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};

  explicit PlaneLanes(std::int64_t cells) : cells_(cells), places_(static_cast<std::size_t>(cells * kWidth)) {
    for (std::int64_t i = 0; i < cells * kWidth; ++i)
      places_[static_cast<std::size_t>(i)] = static_cast<Place>(i / cells);
  }

  template <class Put, typename T>
  HWY_INLINE void write(const Sum* values, T* to) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const auto all = hn::Add(hn::LoadU(d, values), hn::Zero(d));
    for (std::int64_t i = 0; i < cells_; ++i) {
      const auto places = hn::IndicesFromVec(d, hn::LoadU(di, places_.data() + i * kWidth));
      Put::put(d, hn::TableLookupLanes(all, places), to + i * kWidth);
    }
  }

 private:
  const std::int64_t cells_;
  Aligned<Place> places_;
};

template <typename T>
class Fills {
 public:
  using Sum = SumOf<T>;
  static constexpr std::int64_t kGroup = PlaneLanes<Sum>::kWidth;

  explicit Fills(const Plan& plan)
      : p_(plan),
        divisor_(RowDivisors<Sum>(plan, 0, 0).of(0)),
        is_grouped_(plan.w.in <= kSmall && is_dense(plan.grad_input, plan.n, plan.c, {1, 1, plan.w.in})),
        streams_(streams_past_cache(bytes_touched(plan))),
        lanes_(is_grouped_ ? plan.w.in : 0) {}

  void write_planes(std::int64_t begin, std::int64_t end) const {
    std::int64_t plane = begin;
    if (is_grouped_) {
      const bool aligned = reinterpret_cast<std::uintptr_t>(to(begin)) % (kGroup * sizeof(T)) == 0;
      for (; plane + kGroup <= end; plane += kGroup) {
        alignas(64) Sum values[kGroup];
        make_values(plane, values);
        if (aligned && streams_)
          lanes_.template write<Streamed>(values, to(plane));
        else
          lanes_.template write<Stored>(values, to(plane));
      }
    }
    for (; plane < end; ++plane) write_cells(plane, 0, p_.w.in);
    if (streams_) hwy::FlushStream();
  }

  void write_cells(std::int64_t plane, std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kRoom = 4096 / sizeof(T);
    alignas(64) T filled[kRoom + hn::MaxLanes(hn::ScalableTag<BitsOf<T>>())];
    splat(rounded<T>(widened(gradient(plane)) / divisor_ + 0), std::min(kRoom, end - begin), filled);
    StreamWriter writer(streams_);
    for (std::int64_t at = begin; at < end; at += kRoom)
      writer.write(to(plane) + at, static_cast<const T*>(filled), std::min(kRoom, end - at));
  }

 private:
  static constexpr std::int64_t kSmall = 256;

  T gradient(std::int64_t plane) const {
    return static_cast<const T*>(
        p_.grad_output.data)[plane / p_.c * p_.grad_output.n + plane % p_.c * p_.grad_output.c];
  }
  T* to(std::int64_t plane) const {
    return static_cast<T*>(p_.grad_input.data) + plane / p_.c * p_.grad_input.n +
           plane % p_.c * p_.grad_input.c;
  }

  // What the planes of a group are filled with.
  void make_values(std::int64_t plane, Sum* values) const {
    const bool in_order = p_.grad_output.c == 1 && plane % p_.c + kGroup <= p_.c;
    const hn::ScalableTag<Sum> d;
    if (in_order) {
      const T* from =
          static_cast<const T*>(p_.grad_output.data) + plane / p_.c * p_.grad_output.n + plane % p_.c;
      hn::StoreU(hn::Div(load_float(d, from), hn::Set(d, divisor_)), d, values);
      return;
    }
    for (std::int64_t i = 0; i < kGroup; ++i) values[i] = widened(gradient(plane + i)) / divisor_;
  }

  const Plan& p_;
  const Sum divisor_;
  const bool is_grouped_, streams_;
  const PlaneLanes<Sum> lanes_;
};

void fill_planes(const Plan& plan, Workers& workers) {
  constexpr std::int64_t kPiece = std::int64_t{1} << 16;
  const std::int64_t planes = plan.n * plan.c;
  const std::int64_t pieces = (plan.w.in + kPiece - 1) / kPiece;
  with_real_type(plan.type, [&]<typename T>() HWY_ATTR {
    const Fills<T> fills(plan);
    if (pieces == 1) {
      for_each_range(workers, {.count = planes, .elements = plan.w.in, .multiple = Fills<T>::kGroup},
                     [&](std::int64_t begin, std::int64_t end) HWY_ATTR { fills.write_planes(begin, end); });
      return;
    }
    for_each_range(workers, {.count = planes * pieces, .elements = kPiece},
                   [&](std::int64_t begin, std::int64_t end) HWY_ATTR {
                     for (std::int64_t i = begin; i < end; ++i) {
                       const std::int64_t first = i % pieces * kPiece;
                       fills.write_cells(i / pieces, first, std::min(first + kPiece, plan.w.in));
                     }
                   });
  });
}

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::mean_pool_backward::fills {

const char* why_not(const Plan& plan) {
  if (plan.d.in != 1 || plan.h.in != 1 || !plan.d.is_whole() || !plan.h.is_whole() || !plan.w.is_whole())
    return "planes are not one window, or have gaps";
  return plan.grad_input.w == 1 ? nullptr : "cells are not neighbours in memory";
}

CAIRN_RUN_KERNEL(fill_planes)

}  // namespace cairn::mean_pool_backward::fills
#endif
