// Floats on their way to an output of float, Float16 or Bfloat16 that is written once, front to back.

#if defined(CAIRN_OPS_KERNEL_NARROW_SINK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CAIRN_OPS_KERNEL_NARROW_SINK_INL_H_
#undef CAIRN_OPS_KERNEL_NARROW_SINK_INL_H_
#else
#define CAIRN_OPS_KERNEL_NARROW_SINK_INL_H_
#endif

#include <cstring>

#include "hwy/highway.h"
#include "ops/kernel/convert-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cairn {
namespace HWY_NAMESPACE {

// Rounds `count` floats into `to`. `from` is readable up to a whole vector past the end.
template <typename T>
HWY_INLINE void narrow_run(const float* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) store_float(d, hn::LoadU(d, from + i), to + i);
  if (i == count) return;
  T tail[hn::MaxLanes(d)];
  store_float(d, hn::LoadU(d, from + i), tail);
  std::memcpy(to + i, tail, static_cast<std::size_t>(count - i) * sizeof(T));
}

template <class D>
HWY_INLINE void stream_float(D d, hn::Vec<D> v, float* to) {
  hn::Stream(v, d, to);
}
template <class D>
HWY_INLINE void stream_float(D d, hn::Vec<D> v, Float16* to) {
  hn::Stream(narrow_to_float16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}
template <class D>
HWY_INLINE void stream_float(D d, hn::Vec<D> v, Bfloat16* to) {
  hn::Stream(narrow_to_bfloat16(d, v), HalfBits<D>(), reinterpret_cast<std::uint16_t*>(to));
}

// `to` starts a cache line, `count` fills whole ones.
template <typename T>
HWY_INLINE void stream_run(const float* HWY_RESTRICT from, T* HWY_RESTRICT to, std::int64_t count) {
  const hn::ScalableTag<float> d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < count; i += lanes) stream_float(d, hn::LoadU(d, from + i), to + i);
}

// Collects floats until they fill cache lines of the output. The buffer mirrors the output from the start of
// a line on, so a line shared by two rows is still written once, and past the cache when `streaming`.
template <typename T>
class NarrowSink {
 public:
  static constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));

  NarrowSink(float* buffer, bool streaming) : buffer_(buffer), streaming_(streaming) {}

  // Where the next floats, meant for `to`, belong.
  float* room(T* to) {
    if (to != next_) {
      finish();
      const auto address = reinterpret_cast<std::uintptr_t>(to);
      begin_ = end_ = streaming_ ? static_cast<std::int64_t>(address % 64 / sizeof(T)) : 0;
      next_ = to;
    }
    return buffer_ + end_;
  }

  // Takes over the first `count` floats written there.
  void commit(std::int64_t count) {
    end_ += count;
    next_ += count;
    if (!streaming_) return finish();
    T* base = next_ - end_;
    const std::int64_t whole = end_ / kLine * kLine;
    if (whole == 0) return;
    std::int64_t first = 0;
    if (begin_ != 0) {
      narrow_run(buffer_ + begin_, base + begin_, kLine - begin_);
      first = kLine;
    }
    stream_run(buffer_ + first, base + first, whole - first);
    std::memcpy(buffer_, buffer_ + whole, static_cast<std::size_t>(end_ - whole) * sizeof(float));
    begin_ = 0;
    end_ -= whole;
  }

  void finish() {
    narrow_run(buffer_ + begin_, next_ - (end_ - begin_), end_ - begin_);
    begin_ = end_ = 0;
  }

 private:
  float* buffer_;
  bool streaming_;
  T* next_ = nullptr;       // output address that follows the last float taken over
  std::int64_t begin_ = 0;  // buffer_[begin_, end_) waits to be written
  std::int64_t end_ = 0;
};

}  // namespace HWY_NAMESPACE
}  // namespace cairn
HWY_AFTER_NAMESPACE();

#endif
