#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "backend/kernel.h"
#include "hwy/cache_control.h"
#include "ops/candidate.h"
#include "ops/kit/cpu/scaled_planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/target.h"
#include "ops/kit/cpu/types.h"
#include "ops/kit/span.h"
#include "ops/upsample_nearest/plan.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/upsample_nearest/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::upsample_nearest::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void copy_rows(const Plan& /*plan*/, Workers& /*workers*/) {}
bool shuffles_halves() { return false; }

#else
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kMostPositions = 4096;

// The lanes of a vector that `places` name.
template <class D>
HWY_INLINE hn::Vec<D> pick(D d, hn::Vec<D> cells, hn::Vec<D> places) {
  if constexpr (sizeof(hn::TFromD<D>) >= 4) {
    return hn::TableLookupLanes(cells, hn::IndicesFromVec(d, places));
  } else {
#if HWY_TARGET <= HWY_AVX3
    return hn::Vec<D>{_mm512_permutexvar_epi16(places.raw, cells.raw)};
#else
    return cells;  // never asked for
#endif
  }
}

// What vectors of a row take: a vector of neighbouring cells each, and places among them. The last vector of
// a row ends with it, and may write what the one before wrote.
template <typename T>
class Table {
 public:
  Table(const ScaleAxis& axis, std::int64_t lanes) : lanes_(lanes), last_(axis.out - lanes) {
    std::size_t v = 0;
    for (std::int64_t i = 0; i < axis.out; i += lanes, ++v) {
      const std::int64_t first = std::min(i, last_);
      cells_[v] = std::min(axis.source(first), axis.in - lanes);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t place = axis.source(first + lane) - cells_[v];
        is_complete_ = is_complete_ && place < lanes;
        places_[v * static_cast<std::size_t>(lanes) + static_cast<std::size_t>(lane)] = static_cast<T>(place);
      }
    }
    vectors_ = v;
  }

  // Whether each vector finds its cells within one: products that are rounded may lie further apart.
  bool is_complete() const { return is_complete_; }
  std::size_t vectors() const { return vectors_; }
  std::int64_t position(std::size_t v) const {
    return std::min(static_cast<std::int64_t>(v) * lanes_, last_);
  }
  std::int64_t cell(std::size_t v) const { return cells_[v]; }
  const T* places(std::size_t v) const { return places_.data() + v * static_cast<std::size_t>(lanes_); }

 private:
  std::int64_t lanes_;
  std::int64_t last_;  // position that a vector begins with
  std::size_t vectors_ = 0;
  bool is_complete_ = true;
  std::array<std::int64_t, kMostPositions> cells_;
  alignas(64) std::array<T, kMostPositions + 64> places_;
};

template <typename T>
class Rows {
 public:
  explicit Rows(const Plan& plan)
      : p_(plan, plan.self, plan.values, false),
        streaming_(streams_past_cache((p_.cells() + p_.positions()) * std::int64_t{sizeof(T)})),
        table_(p_.w, static_cast<std::int64_t>(hn::Lanes(D()))) {}

  void run(Workers& workers) const {
    for_each_range(workers, {.count = p_.n * p_.c * p_.d.out * p_.h.out, .elements = p_.w.out},
                   [&](std::int64_t begin, std::int64_t end) { write(begin, end); });
  }

 private:
  using D = hn::ScalableTag<T>;

  // Rows [begin, end), counted over planes, D and H.
  void write(std::int64_t begin, std::int64_t end) const {
    std::int64_t h = begin % p_.h.out;
    std::int64_t d = begin / p_.h.out % p_.d.out;
    std::int64_t c = begin / p_.h.out / p_.d.out % p_.c;
    std::int64_t n = begin / p_.h.out / p_.d.out / p_.c;
    while (begin < end) {
      const T* from =
          static_cast<const T*>(p_.read.data) + n * p_.read.n + c * p_.read.c + p_.d.source(d) * p_.read.d;
      T* to = static_cast<T*>(p_.written.data) + n * p_.written.n + c * p_.written.c + d * p_.written.d;
      const Span some{h, std::min(p_.h.out, h + end - begin)};
      write_slice(from, to, some);
      begin += some.size();
      h = 0;
      if (++d < p_.d.out) continue;
      d = 0;
      if (++c == p_.c) c = 0, ++n;
    }
    if (streaming_) hwy::FlushStream();
  }

  void write_slice(const T* from, T* to, Span rows) const {
    std::int64_t cell = p_.h.source(rows.begin);
    for (std::int64_t h = rows.begin; h < rows.end;) {
      const std::int64_t next = p_.h.source(h + 1);
      const bool twice = h + 1 < rows.end && next == cell;
      const T* row = from + cell * p_.read.h;
      T* target = to + h * p_.written.h;
      if (!table_.is_complete()) {
        make_slowly(row, target);
        h += 1;
        cell = next;
        continue;
      }
      if (streaming_) {
        twice ? make<true, 2>(row, target) : make<true, 1>(row, target);
      } else {
        twice ? make<false, 2>(row, target) : make<false, 1>(row, target);
      }
      h += twice ? 2 : 1;
      cell = twice ? p_.h.source(h) : next;
    }
  }

  // kRows rows that take the same one.
  template <bool kStreams, int kRows>
  HWY_ATTR void make(const T* HWY_RESTRICT from, T* HWY_RESTRICT to) const {
    const D d;
    const std::int64_t stride = p_.written.h;
    for (std::size_t v = 0; v < table_.vectors(); ++v) {
      const auto cells = hn::LoadU(d, from + table_.cell(v));
      const auto values = pick(d, cells, hn::Load(d, table_.places(v)));
      T* place = to + table_.position(v);
      for (int row = 0; row < kRows; ++row) {
        if constexpr (kStreams) {
          hn::Stream(values, d, place + row * stride);
        } else {
          hn::StoreU(values, d, place + row * stride);
        }
      }
    }
  }

  void make_slowly(const T* from, T* to) const {
    for (std::int64_t i = 0; i < p_.w.out; ++i) to[i] = from[p_.w.source(i)];
  }

  const ScaledPlanes p_;
  const bool streaming_;
  const Table<T> table_;
};

}  // namespace

void copy_rows(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.out.count() == 0) return;
  switch (size_of(plan.type)) {
    case 2:
      if constexpr (HWY_TARGET <= HWY_AVX3) Rows<std::uint16_t>(plan).run(workers);
      return;
    case 4:
      return Rows<std::uint32_t>(plan).run(workers);
    default:
      return Rows<std::uint64_t>(plan).run(workers);
  }
}

bool shuffles_halves() { return HWY_TARGET <= HWY_AVX3; }

#endif

}  // namespace cairn::upsample_nearest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn::upsample_nearest::rows {
namespace {

HWY_EXPORT(shuffles_halves);

// Whether rows of values are whole cache lines.
bool has_whole_lines(const ScaledPlanes& planes, std::int64_t size) {
  constexpr std::int64_t kLine = 64;
  const View5& to = planes.written;
  const auto begin = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to.data) % kLine);
  return (begin | planes.w.out * size | to.n * size | to.c * size | to.d * size | to.h * size) % kLine == 0;
}

}  // namespace

const char* why_not(const Plan& plan) {
  const ScaledPlanes planes(plan, plan.self, plan.values, false);
  const std::int64_t size = size_of(plan.type);
  const std::int64_t lanes = float_lanes() * 4 / size;
  if (float_lanes() <= 1) return "this instruction set has no vectors";
  if (size == 1) return "elements have one byte";
  if (size == 2 && !HWY_DYNAMIC_DISPATCH(shuffles_halves)())
    return "this instruction set does not shuffle elements of two bytes";
  if (planes.read.w != 1) return "self is strided along W";
  if (planes.written.w != 1) return "values are strided along W";
  if (planes.w.scale > 1.0F) return "W shrinks";
  if (std::min(planes.w.in, planes.w.out) < lanes) return "lines are shorter than a vector";
  if (planes.w.out > 4096) return "lines have more than 4096 positions";
  if (streams_past_cache((planes.cells() + planes.positions()) * size) && !has_whole_lines(planes, size))
    return "values do not fit the cache, and their lines are not whole cache lines";
  return nullptr;
}

CAIRN_RUN_KERNEL(copy_rows)

}  // namespace cairn::upsample_nearest::rows
#endif
