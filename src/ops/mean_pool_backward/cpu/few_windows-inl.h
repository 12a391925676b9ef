// Rows of fewer windows than a vector has lanes: one vector has the shares of a row, from which each vector
// of cells picks its own.
// One core of a Xeon, 100 planes of 50x50 in FLOAT16 from 7x7: 57 us with it, 106 without.

#if defined(CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#undef CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_BACKWARD_CPU_FEW_WINDOWS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "ops/mean_pool_backward/cpu/shares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool_backward::HWY_NAMESPACE {

template <typename T>
class FewWindows {
 public:
  using Sum = SumOf<T>;
  using D = hn::ScalableTag<Sum>;
  static constexpr std::int64_t kWidth{hn::MaxLanes(D())};

  static bool takes(const MeanAxis& w) {
    return w.out < kWidth && w.in >= kWidth && w.in <= kMostVectors * kWidth && w.most_windows() <= 2;
  }

  FewWindows(const MeanAxis& w, const AxisTable& axis)
      : w_(w), vectors_((w.in + kWidth - 1) / kWidth), layers_(w.most_windows() > 1 ? 2 : 1) {
    if (!takes(w)) return;
    grow(places_, vectors_ * layers_ * kWidth);
    auto place = places_.begin();
    for (std::int64_t v = 0; v < vectors_; ++v) {
      for (std::int64_t layer = 0; layer < layers_; ++layer) {
        for (std::int64_t lane = 0; lane < kWidth; ++lane) {
          const Span windows = axis.windows(first_cell(v) + lane);
          *place++ = static_cast<Place>(layer < windows.size() ? windows.begin + layer : w.out);
        }
      }
    }
  }

  // Shares as write_rows() wants them: behind those of all windows there is nothing.
  static constexpr std::int64_t kRoom = kWidth;
  HWY_INLINE void keep(const Sum* shares, Sum* to) const {
    const D d;
    hn::StoreU(hn::IfThenElseZero(hn::FirstN(d, static_cast<std::size_t>(w_.out)), hn::LoadU(d, shares)), d,
               to);
  }

  // `rows` equal rows of cells, one behind the other: the sums of what some rows of windows give.
  HWY_INLINE void write_rows(const Sum* const* shares, std::int64_t count, std::int64_t rows,
                             T* HWY_RESTRICT to) const {
    const D d;
    const hn::RebindToSigned<D> di;
    const std::int64_t vectors = vectors_;
    const std::int64_t length = w_.in;
    const bool in_two = layers_ > 1;
    const Place* places = places_.data();
    for (std::int64_t v = 0; v < vectors; ++v) {
      const auto first = hn::IndicesFromVec(d, hn::Load(di, places));
      const auto second = hn::IndicesFromVec(d, hn::Load(di, in_two ? places + kWidth : places));
      places += in_two ? 2 * kWidth : kWidth;
      auto sum = hn::Zero(d);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto all = hn::Load(d, shares[i]);
        sum = hn::Add(sum, hn::TableLookupLanes(all, first));
        if (in_two) sum = hn::Add(sum, hn::TableLookupLanes(all, second));
      }
      store_in_rows(sum, rows, length, to + first_cell(v));
    }
  }

 private:
  using Place = hn::TFromD<hn::RebindToSigned<D>>;
  using Bits = BitsOf<T>;
  static constexpr std::int64_t kMostVectors = 8;

  // The last vector has cells of the one before again.
  std::int64_t first_cell(std::int64_t v) const { return std::min(v * kWidth, w_.in - kWidth); }

  // It is rounded once.
  static HWY_INLINE void store_in_rows(hn::Vec<D> sum, std::int64_t rows, std::int64_t length,
                                       T* HWY_RESTRICT to) {
    const hn::Rebind<Bits, D> bits;
    alignas(64) T rounded[kWidth];
    store_sums(D(), sum, rounded);
    const auto all = hn::Load(bits, reinterpret_cast<const Bits*>(rounded));
    for (std::int64_t row = 0; row < rows; ++row)
      hn::StoreU(all, bits, reinterpret_cast<Bits*>(to + row * length));
  }

  const MeanAxis& w_;
  const std::int64_t vectors_, layers_;
  Aligned<Place> places_;
};

}  // namespace cairn::mean_pool_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
