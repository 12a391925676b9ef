// A run of a window, of channels side by side: the lanes of all of them, so that cells are read in the order
// in which they lie.

#if defined(CAIRN_OPS_MEAN_POOL_CPU_CHANNEL_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_MEAN_POOL_CPU_CHANNEL_LANES_INL_H_
#undef CAIRN_OPS_MEAN_POOL_CPU_CHANNEL_LANES_INL_H_
#else
#define CAIRN_OPS_MEAN_POOL_CPU_CHANNEL_LANES_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "ops/kit/cpu/aligned.h"
#include "ops/kit/cpu/ordered_sums-inl.h"
#include "ops/mean_pool/cpu/windows.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::mean_pool::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using namespace cairn::HWY_NAMESPACE;

template <typename T>
class ChannelLanes {
 public:
  // Channels whose lanes stay in the second-level cache: fewer would leave gaps in what is read.
  static constexpr std::int64_t kMost = 512;

  // Sums of `count` channels, of the taps of a window from `begin` to `end`, which are at most a run. `image`
  // is where the first of these channels begins.
  const float* sum(const View5& view, const T* image, const Box& box, const Span& taps, std::int64_t count) {
    const hn::ScalableTag<float> d;
    grow(lanes_, (long_sum::kLanes + 1) * count);
    float* const sums = lanes_.data() + long_sum::kLanes * count;
    std::fill_n(lanes_.data(), (long_sum::kLanes + 1) * count, 0.0F);
    Cursor at(box, taps.begin);
    const auto cell = [&] { return image + at.d * view.d + at.h * view.h + at.w * view.w; };
    if (box.d.size() == 1 && box.h.size() == 1) {
      add_row(cell(), view.w, taps.size(), count);
    } else {
      for (std::int64_t i = 0; i < taps.size(); ++i, at.step(box)) add_cell(cell(), i, count);
    }
    for (std::int64_t i = 0; i < long_sum::kLanes; ++i)
      add_to_sums<OneEach>(d, sums, static_cast<const float*>(lanes_.data()) + i * count, count);
    return sums;
  }

 private:
  static constexpr std::int64_t kLine = 64 / sizeof(T);
  static constexpr std::int64_t kAhead = 4096 / sizeof(T);
  // Terms of a lane that are added at a time, so that it is loaded and stored once for all. One thread of a
  // Xeon, channels-last FLOAT, in the cache, 2 images of 32x112x112, us: 185, and 250 with one at a
  // time.
  static constexpr std::int64_t kTogether = 4;
  static constexpr std::int64_t kGroup = kTogether * long_sum::kLanes;

  // A cell of a window, in the order of the definition.
  struct Cursor {
    Cursor(const Box& box, std::int64_t tap)
        : d(box.d.begin + tap / box.w.size() / box.h.size()),
          h(box.h.begin + tap / box.w.size() % box.h.size()),
          w(box.w.begin + tap % box.w.size()) {}
    void step(const Box& box) {
      if (++w < box.w.end) return;
      w = box.w.begin;
      if (++h < box.h.end) return;
      h = box.h.begin;
      ++d;
    }
    std::int64_t d, h, w;
  };

  // Cells one behind the other, as those of whole planes are.
  void add_row(const T* first, std::int64_t step, std::int64_t cells, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + kGroup <= cells; i += kGroup) {
      const T* cell = first + i * step;
      for (std::int64_t lane = 0; lane < long_sum::kLanes; ++lane, cell += step)
        add_terms(cell, long_sum::kLanes * step, count, lanes_.data() + lane * count);
    }
    for (; i < cells; ++i) add_cell(first + i * step, i, count);
  }
  static HWY_INLINE void add_terms(const T* HWY_RESTRICT cell, std::int64_t apart, std::int64_t count,
                                   float* HWY_RESTRICT lane) {
    const hn::ScalableTag<float> d;
    constexpr std::int64_t kWidth{hn::MaxLanes(hn::ScalableTag<float>())};
    std::int64_t c = 0;
    for (; c + kWidth <= count; c += kWidth) {
      auto sum = hn::LoadU(d, lane + c);
      for (int term = 0; term < kTogether; ++term) sum = OneEach::add(d, sum, cell + term * apart + c);
      hn::StoreU(sum, d, lane + c);
    }
    if (c < count) add_lines(d, lane + c, cell + c, count - c, kTogether, apart);
  }

  HWY_INLINE void add_cell(const T* cell, std::int64_t i, std::int64_t count) {
    for (std::int64_t c = 0; c < count; c += kLine) hwy::Prefetch(cell + kAhead + c);
    add_to_sums<OneEach>(hn::ScalableTag<float>(), lanes_.data() + i % long_sum::kLanes * count, cell, count);
  }

  Aligned<float> lanes_;
};

}  // namespace cairn::mean_pool::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
