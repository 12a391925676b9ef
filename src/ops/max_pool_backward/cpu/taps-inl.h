// Rows of windows, each index narrowed to 16 bits that say which tap of its own window it names.

#if defined(CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_INL_H_
#undef CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_INL_H_
#else
#define CAIRN_OPS_MAX_POOL_BACKWARD_CPU_TAPS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/convert-inl.h"
#include "ops/kit/cpu/sliding_sums.h"
#include "ops/kit/window_axis.h"
#include "ops/max_pool_backward/cpu/windows-inl.h"
#include "ops/max_pool_backward/plan.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::max_pool_backward::HWY_NAMESPACE {

// True where lanes of 16 bits have masks. Without them adding window after window is as fast.
#undef CAIRN_TAPS_OF_16_BITS
#if HWY_TARGET <= HWY_AVX3
#define CAIRN_TAPS_OF_16_BITS 1

using Floats = hn::ScalableTag<float>;
using Halves = hn::Rebind<std::uint16_t, Floats>;  // as many as floats
using Words = hn::ScalableTag<std::uint16_t>;      // twice as many
constexpr auto kStep = static_cast<std::int64_t>(hn::MaxLanes(Halves()));

HWY_INLINE hn::Vec<Floats> widen(hn::Vec<Halves> v, const Float16* /*type*/) {
  return cairn::HWY_NAMESPACE::widen_float16(Floats(), v);
}
HWY_INLINE hn::Vec<Floats> widen(hn::Vec<Halves> v, const Bfloat16* /*type*/) {
  return cairn::HWY_NAMESPACE::widen_bfloat16(Floats(), v);
}

// A row of windows. A tap is the distance of its cell from the window's first one, in the plane's flat order.
struct TapRow {
  const std::uint16_t* taps;
  const float* gradients;  // none of them -0.0
};

// The rows of windows that cells still to come may need: of two slices if slices of cells share windows, else
// a few of the slice at hand. Before and after each row lie windows that name no cell.
template <typename T, typename Index>
class TapRows {
 public:
  static constexpr std::uint16_t kNoTap = 0xFFFF;

  // A row has room for `most` windows and one that names no cell.
  TapRows(const Plan& plan, const WindowAxes& axes, std::int64_t most)
      : p_(plan),
        axes_(axes),
        pitch_((most + kStep) / kStep * kStep),
        rows_(axes.d.extent > axes.d.stride ? plan.out.h : kFewRows),
        members_(axes),
        firsts_(hwy::AllocateAligned<std::uint16_t>(static_cast<std::size_t>(plan.out.w))),
        widths_(hwy::AllocateAligned<std::uint16_t>(static_cast<std::size_t>(plan.out.w))),
        taps_(hwy::AllocateAligned<std::uint16_t>(size())),
        gradients_(hwy::AllocateAligned<float>(size())) {
    std::fill_n(taps_.get(), size(), kNoTap);
    std::fill_n(gradients_.get(), size(), 0.0f);
    for (std::int64_t ow = 0; ow < plan.out.w; ++ow) {
      const Span cells = axes.w.cells(ow);
      firsts_[static_cast<std::size_t>(ow)] =
          static_cast<std::uint16_t>(cells.begin - (ow * axes.w.stride - axes.w.padding));
      widths_[static_cast<std::size_t>(ow)] = static_cast<std::uint16_t>(cells.size());
    }
  }

  // Rows of this plane come next, those of a slice from `first_row` on.
  void start(const PlaneGroup& plane, std::int64_t first_row) {
    indices_ = address<const Index>(p_.indices, plane, 0, 0);
    halves_ = address<const std::uint16_t>(p_.grad_output, plane, 0, 0);
    first_row_ = first_row;
    staged_[0] = staged_[1] = {-1, 0};
    finite_ = true;
  }

  // Whether all gradients staged since then are, so that no sum of them is a NaN.
  bool finite() const { return finite_; }

  // The next slice of cells comes. What is no longer there will be staged again.
  void start_slice() {
    if (rows_ == kFewRows) staged_[0] = staged_[1] = {-1, 0};
  }

  // Makes the rows up to `last` of a slice, and the one after it, ready for use. Rows come in order. False if
  // an index among the new ones lies outside its own window.
  bool stage(std::int64_t od, std::int64_t last) {
    auto& [slice, next] = staged_[od & 1];
    if (slice != od) {
      slice = od;
      next = first_row_;
    }
    bool clean = true;
    // A row read right after it was written would have to wait for the stores.
    const std::int64_t end = std::min(last + 2, p_.out.h);
    for (; next < end; ++next) clean &= stage_row(od, next);
    return clean;
  }

  TapRow row(std::int64_t od, std::int64_t oh) const {
    if (oh < 0 || oh >= p_.out.h) return {taps_.get() + kLanes, gradients_.get() + kLanes};
    const std::int64_t at = place(od, oh);
    return {taps_.get() + at, gradients_.get() + at};
  }

 private:
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Words()));
  static constexpr std::int64_t kFewRows = 4;
  static constexpr std::uint16_t kInfinity = std::is_same_v<T, Float16> ? 0x7C00 : 0x7F80;
  // How far ahead elements are prefetched.
  static constexpr std::int64_t kAhead = 384;

  // A row that stays empty comes first.
  std::size_t size() const { return static_cast<std::size_t>((2 * rows_ + 1) * pitch_ + 2 * kLanes); }
  std::int64_t place(std::int64_t od, std::int64_t oh) const {
    const std::int64_t row = rows_ == kFewRows ? oh & (kFewRows - 1) : oh;
    return kLanes + (1 + (od & 1) * rows_ + row) * pitch_;
  }

  bool stage_row(std::int64_t od, std::int64_t oh) {
    const Index* indices = indices_ + od * p_.indices.d + oh * p_.indices.h;
    const std::uint16_t* halves = halves_ + od * p_.grad_output.d + oh * p_.grad_output.h;
    const std::int64_t at = place(od, oh);
    const std::int64_t d = od * axes_.d.stride - axes_.d.padding;
    const std::int64_t h = oh * axes_.h.stride - axes_.h.padding;
    const auto origin = static_cast<std::uint32_t>((d * p_.in.h + h) * p_.in.w - axes_.w.padding);
    const bool clean = stage_windows(indices, halves, origin, taps_.get() + at, gradients_.get() + at);
    const bool is_inside = d >= 0 && d + axes_.d.extent <= p_.in.d && h >= 0 && h + axes_.h.extent <= p_.in.h;
    if (clean && is_inside) [[likely]]
      return true;
    if (!clean) finite_ &= all_finite(reinterpret_cast<const T*>(halves), p_.out.w);
    return members_.row(indices, od, oh);
  }

  // False if an index lies outside its own window, or if a gradient is not finite. An index in the padding
  // along D or H is not noticed.
  HWY_NOINLINE bool stage_windows(const Index* HWY_RESTRICT indices, const std::uint16_t* HWY_RESTRICT halves,
                                  std::uint32_t origin, std::uint16_t* HWY_RESTRICT taps,
                                  float* HWY_RESTRICT gradients) const {
    const Words d;
    const hn::RebindToUnsigned<Int32s> du;
    const auto step = static_cast<std::int64_t>(hn::Lanes(du));
    const auto even = hn::ShiftLeft<1>(hn::Iota(du, 0));
    const auto slice = hn::Set(d, static_cast<std::uint16_t>(p_.in.h * p_.in.w));
    const auto row = hn::Set(d, static_cast<std::uint16_t>(p_.in.w));
    const std::uint16_t* firsts = firsts_.get();
    const std::uint16_t* widths = widths_.get();
    const std::int64_t slices = axes_.d.extent;
    const std::int64_t windows = p_.out.w;
    bool clean = true;
    for (std::int64_t i = 0; i < windows; i += kLanes) {
      const std::int64_t ow = std::min(i, windows - kLanes);
      prefetch(indices + ow, halves + ow);
      const auto tap_of = [&](std::int64_t at) {
        const auto first = hn::Set(du, origin + 2 * static_cast<std::uint32_t>(at));
        const auto tap = hn::Sub(hn::BitCast(du, load_indices(indices + at)), hn::Add(first, even));
        return hn::BitCast(d, hn::Min(tap, hn::Set(du, kNoTap)));
      };
      const auto tap = hn::ConcatEven(d, tap_of(ow + step), tap_of(ow));
      store_halves(tap, taps + ow);
      const auto half = hn::LoadU(d, halves + ow);
      // A sum that begins with +0.0 never is -0.0.
      store_widened(hn::IfThenZeroElse(hn::Eq(half, hn::Set(d, 0x8000u)), half), gradients + ow);
      // As in in_window: the minimum takes a step off exactly while there is one.
      auto rest = hn::Sub(tap, hn::LoadU(d, firsts + ow));
      for (std::int64_t a = 1; a < slices; ++a) rest = hn::Min(rest, hn::Sub(rest, slice));
      rest = hn::Min(rest, hn::Sub(rest, row));
      rest = hn::Min(rest, hn::Sub(rest, row));
      const auto magnitude = hn::And(half, hn::Set(d, std::uint16_t{0x7FFF}));
      const auto finite = hn::Lt(magnitude, hn::Set(d, kInfinity));
      const hn::Mask<Words> fine{
          _mm512_mask_cmplt_epu16_mask(finite.raw, rest.raw, hn::LoadU(d, widths + ow).raw)};
      clean &= hn::AllTrue(d, fine) && fit_in_32_bits(indices + ow) && fit_in_32_bits(indices + ow + step);
    }
    return clean;
  }

  static HWY_INLINE void prefetch(const Index* indices, const std::uint16_t* gradients) {
    for (std::int64_t i = 0; i < kLanes; i += static_cast<std::int64_t>(64 / sizeof(Index))) {
      hwy::Prefetch(indices + kAhead + i);
    }
    hwy::Prefetch(gradients + kAhead);
  }

  // A store of 64 bytes that straddles two lines takes ten times as long as its halves do.
  template <class V, typename E>
  static HWY_INLINE void store_halves(V v, E* to) {
    const hn::Half<hn::DFromV<V>> d;
    hn::StoreU(hn::LowerHalf(d, v), d, to);
    hn::StoreU(hn::UpperHalf(d, v), d, to + hn::Lanes(d));
  }
  static HWY_INLINE void store_widened(hn::Vec<Words> v, float* to) {
    const hn::Half<Words> d;
    const T* type = nullptr;
    store_halves(widen(hn::LowerHalf(d, v), type), to);
    store_halves(widen(hn::UpperHalf(d, v), type), to + kStep);
  }

  const Plan& p_;
  const WindowAxes& axes_;
  const std::int64_t pitch_;
  const std::int64_t rows_;  // of a slice
  Members members_;
  // Along W: taps of a window that lie before the plane, and taps in it.
  hwy::AlignedFreeUniquePtr<std::uint16_t[]> firsts_;
  hwy::AlignedFreeUniquePtr<std::uint16_t[]> widths_;
  hwy::AlignedFreeUniquePtr<std::uint16_t[]> taps_;
  hwy::AlignedFreeUniquePtr<float[]> gradients_;
  const Index* indices_ = nullptr;  // of the plane at hand
  const std::uint16_t* halves_ = nullptr;
  std::int64_t first_row_ = 0;
  bool finite_ = true;
  struct Staged {
    std::int64_t slice;
    std::int64_t next;  // row to come
  };
  Staged staged_[2] = {{-1, 0}, {-1, 0}};
};

#else
#define CAIRN_TAPS_OF_16_BITS 0
#endif

}  // namespace cairn::max_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
