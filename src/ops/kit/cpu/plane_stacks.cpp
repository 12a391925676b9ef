#include "ops/kit/cpu/plane_stacks.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/plane_stacks.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kQuad = 4;

#if HWY_TARGET != HWY_SCALAR
using Quad = hn::FixedTag<float, 4>;

// Four rows of four become columns.
HWY_INLINE void turn(hn::Vec<Quad> (&rows)[kQuad]) {
  const Quad d;
  const hn::Repartition<double, Quad> pairs;
  const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[0], rows[1]));
  const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[0], rows[1]));
  const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, rows[2], rows[3]));
  const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, rows[2], rows[3]));
  rows[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
  rows[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
  rows[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
  rows[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
}
#endif

void interleave(const float* const* lines, std::int64_t width, std::int64_t count, std::int64_t pitch,
                float* HWY_RESTRICT to) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Quad d;
  for (; i + kQuad <= count; i += kQuad) {
    for (std::int64_t l = 0; l < width; l += kQuad) {
      hn::Vec<Quad> rows[kQuad];
      for (std::int64_t k = 0; k < kQuad; ++k) rows[k] = hn::LoadU(d, lines[l + k] + i);
      turn(rows);
      for (std::int64_t k = 0; k < kQuad; ++k) hn::StoreU(rows[k], d, to + (i + k) * pitch + l);
    }
  }
#endif
  for (; i < count; ++i)
    for (std::int64_t l = 0; l < width; ++l) to[i * pitch + l] = lines[l][i];
}

void separate(const float* HWY_RESTRICT from, std::int64_t width, std::int64_t count, std::int64_t pitch,
              float* const* lines) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const Quad d;
  for (; i + kQuad <= count; i += kQuad) {
    for (std::int64_t l = 0; l < width; l += kQuad) {
      hn::Vec<Quad> rows[kQuad];
      for (std::int64_t k = 0; k < kQuad; ++k) rows[k] = hn::LoadU(d, from + (i + k) * pitch + l);
      turn(rows);
      for (std::int64_t k = 0; k < kQuad; ++k) hn::StoreU(rows[k], d, lines[l + k] + i);
    }
  }
#endif
  for (; i < count; ++i)
    for (std::int64_t l = 0; l < width; ++l) lines[l][i] = from[i * pitch + l];
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(interleave);
HWY_EXPORT(separate);

void interleave_lines(const float* const* lines, std::int64_t width, std::int64_t count, std::int64_t pitch,
                      float* to) {
  HWY_DYNAMIC_DISPATCH(interleave)(lines, width, count, pitch, to);
}
void separate_lines(const float* from, std::int64_t width, std::int64_t count, std::int64_t pitch,
                    float* const* lines) {
  HWY_DYNAMIC_DISPATCH(separate)(from, width, count, pitch, lines);
}

}  // namespace cairn
#endif
