#include "ops/kit/cpu/stream_writer.h"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace cairn {
namespace {

// `to` is aligned to a cache line, `bytes` a multiple of one.
void stream_lines(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__SSE2__)
  for (std::size_t i = 0; i < bytes; i += 64) {
    const auto* source = reinterpret_cast<const __m128i*>(from + i);
    auto* line = reinterpret_cast<__m128i*>(to + i);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
  }
#else
  std::memcpy(to, from, bytes);
#endif
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
  // A few lines at a time, cleared while they are near.
  constexpr std::size_t kPiece = 2048;
  for (std::size_t i = head; i < head + body; i += kPiece) {
    const std::size_t piece = std::min(kPiece, head + body - i);
    stream_lines(to + i, from + i, piece);
    std::memset(from + i, 0, piece);
  }
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
#if defined(__SSE2__)
  // Streamed stores are weakly ordered; whoever learns that this task is done must see them.
  _mm_sfence();
#endif
}

}  // namespace cairn
