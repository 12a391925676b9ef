#include "ops/kit/cpu/stream_writer.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kit/cpu/stream_writer.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace cairn::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The longest vectors: with AVX-512 a line is one store. Two threads of a Xeon, least ms with those and with
// 16 bytes: n2-fpn NCHW forward FLOAT 4.7 and 5.3, n2-odd 4.4 and 4.7.
using Bytes = hn::CappedTag<std::uint8_t, 64>;

// `to` is aligned to a cache line, `bytes` a multiple of one. kClears: leaves zeros.
template <bool kClears>
HWY_INLINE void stream(std::byte* to, std::conditional_t<kClears, std::byte*, const std::byte*> from,
                       std::size_t bytes) {
  const Bytes d;
  auto* HWY_RESTRICT target = reinterpret_cast<std::uint8_t*>(to);
  auto* HWY_RESTRICT source =
      reinterpret_cast<std::conditional_t<kClears, std::uint8_t*, const std::uint8_t*>>(from);
  for (std::size_t i = 0; i < bytes; i += hn::Lanes(d)) {
    hn::Stream(hn::LoadU(d, source + i), d, target + i);
    if constexpr (kClears) hn::StoreU(hn::Zero(d), d, source + i);
  }
}

}  // namespace

void stream_whole_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  stream<false>(to, from, bytes);
}
void stream_and_clear_lines(std::byte* to, std::byte* from, std::size_t bytes) {
  stream<true>(to, from, bytes);
}

}  // namespace cairn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cairn {

HWY_EXPORT(stream_whole_lines);
HWY_EXPORT(stream_and_clear_lines);

namespace {

void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
  HWY_DYNAMIC_DISPATCH(stream_whole_lines)(to, from, bytes);
}

void move_and_clear(std::byte* to, std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
  std::memset(from, 0, bytes);
}

}  // namespace

void stream_and_clear(std::byte* to, std::byte* from, std::size_t bytes) {
  constexpr std::size_t kLine = 64;
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = std::min((kLine - past_line) % kLine, bytes);
  const std::size_t body = (bytes - head) / kLine * kLine;
  move_and_clear(to, from, head);
  HWY_DYNAMIC_DISPATCH(stream_and_clear_lines)(to + head, from + head, body);
  move_and_clear(to + head + body, from + head + body, bytes - head - body);
}

// Writes stage_[begin_, end): whole lines past the cache, ragged ends through it.
void StreamWriter::flush(std::size_t end) {
  if (begin_ == end) return;
  std::byte* base = next_ - end_;
  const std::size_t first_line = std::min((begin_ + kLine - 1) & ~(kLine - 1), end);
  const std::size_t last_line = std::max(end & ~(kLine - 1), first_line);
  std::memcpy(base + begin_, stage_ + begin_, first_line - begin_);
  stream_lines(base + first_line, stage_ + first_line, last_line - first_line);
  std::memcpy(base + last_line, stage_ + last_line, end - last_line);
}

void StreamWriter::make_room(std::byte* to) {
  if (to != next_) {
    flush(end_);
    begin_ = end_ = reinterpret_cast<std::uintptr_t>(to) & (kLine - 1);
    next_ = to;
    return;
  }
  const std::size_t whole = end_ & ~(kLine - 1);
  flush(whole);
  std::memcpy(stage_, stage_ + whole, end_ - whole);
  begin_ = begin_ > whole ? begin_ - whole : 0;
  end_ -= whole;
}

void StreamWriter::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  if (!streaming_) {
    std::memcpy(to, from, bytes);
    return;
  }
  // What is staged ends in the middle of a line, so the rest of that line joins it.
  const std::size_t past_line = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = std::min((kLine - past_line) % kLine, bytes);
  const std::size_t body = (bytes - head) / kLine * kLine;
  if (head > 0) std::memcpy(stage(to, head), from, head);
  if (body > 0) {
    flush(end_);
    stream_lines(to + head, from + head, body);
    begin_ = end_ = 0;
    next_ = to + head + body;
  }
  const std::size_t tail = bytes - head - body;
  if (tail > 0) std::memcpy(stage(to + head + body, tail), from + head + body, tail);
}

void StreamWriter::clear(std::byte* to, std::size_t bytes) {
  alignas(kLine) static constexpr std::byte kZeros[kRoom] = {};
  if (!streaming_) {
    std::memset(to, 0, bytes);
    return;
  }
  for (std::size_t i = 0; i < bytes; i += kRoom) copy(to + i, kZeros, std::min(kRoom, bytes - i));
}

StreamWriter::~StreamWriter() {
  if (!streaming_) return;
  flush(end_);
  // Streamed stores are weakly ordered; whoever learns that this task is done must see them.
  hwy::FlushStream();
}

}  // namespace cairn
#endif
