#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/view.h"
#include "ops/kit/cpu/ordered_sums.h"
#include "ops/kit/cpu/rows.h"

namespace cairn {

// The planes a thread works on together: one, or several channels that lie side by side in memory.
struct PlaneGroup {
  std::int64_t n;
  std::int64_t c;
  std::int64_t channels;
};

template <typename E>
E* address(const View5& view, const PlaneGroup& group, std::int64_t d, std::int64_t h) {
  return static_cast<E*>(view.data) + group.n * view.n + group.c * view.c + d * view.d + h * view.h;
}

// Sums of cells that terms are added to in any order of cells, such as windows of which each reaches a few:
// those that terms still to come may reach. Cells come and go in flat order: zeroed just before the first
// term that may reach them, rounded and written once, right after the last. So the sums stay in the cache.
// Where sums are what is written, and memory is the cache, they are summed in their own place.
template <typename T>
class SlidingSums {
 public:
  // Planes of `size` cells are written to `out`.
  SlidingSums(Size3 size, const View5& out, std::vector<SumOf<T>>& buffer, bool streaming)
      : size_(size), out_(out), buffer_(buffer), streaming_(streaming) {}

  // From here on cells from flat position `cell` of another group of planes.
  void start(const PlaneGroup& group, std::int64_t cell) {
    group_ = group;
    origin_ = written_ = zeroed_ = cell * group.channels;
    room_ = 0;
    const std::int64_t width = size_.w * group.channels;
    dense_ = (group.channels == 1 ? out_.w == 1 : out_.w == group.channels) &&
             (out_.h == width || size_.h == 1) && (out_.d == width * size_.h || size_.d == 1);
    base_ = buffer_.data();
    if constexpr (std::is_same_v<T, SumOf<T>>) {
      in_place_ = dense_ && !streaming_;
      if (!in_place_) return;
      base_ = dense_out();
      origin_ = 0;
      room_ = std::numeric_limits<std::int64_t>::max();
      finite_ = true;
    }
  }

  // Terms that are about to be added.
  void note(const SumOf<T>* terms, std::int64_t count) {
    if (in_place_) finite_ = finite_ && all_finite(terms, count);
  }

  // Cells up to `end` can be added to.
  void zero_to(std::int64_t end) {
    const std::int64_t to = end * group_.channels;
    if (to <= zeroed_) return;
    if (to - origin_ > room_) make_room(to);
    std::fill(base_ + (zeroed_ - origin_), base_ + (to - origin_), SumOf<T>{0});
    zeroed_ = to;
  }

  // No term to come reaches a cell before `end`.
  void write_to(std::int64_t end) {
    std::int64_t to = std::min(end * group_.channels, zeroed_);
    if (in_place_ || to - written_ < kWorthWriting) return;
    if (dense_) {
      // The rest of a cache line waits for what follows it.
      const auto past_line = reinterpret_cast<std::uintptr_t>(dense_out() + to) % 64 / sizeof(T);
      to -= static_cast<std::int64_t>(past_line);
    }
    write(to);
  }

  // Cells up to `end` are complete.
  void finish(std::int64_t end) {
    if (in_place_) return finish_in_place(end);
    while (zeroed_ < end * group_.channels) {
      zero_to(std::min(end, zeroed_ / group_.channels + kWorthWriting));
      write_to(end);
    }
    write(zeroed_);
  }

  // The cells that can be added to start here; sum (cell, channel) lies at cell * channels + channel.
  std::int64_t first_cell() const { return (written_ + group_.channels - 1) / group_.channels; }
  std::int64_t cells() const { return zeroed_ / group_.channels - first_cell(); }
  SumOf<T>* sums() { return base_ + (first_cell() * group_.channels - origin_); }

 private:
  static constexpr std::int64_t kWorthWriting = 512;
  static constexpr std::int64_t kSmall = 4096;
  static constexpr std::int64_t kLargest = std::int64_t{1} << 18;

  T* dense_out() const { return address<T>(out_, group_, 0, 0); }

  void make_room(std::int64_t to) {
    const std::int64_t origin = written_ / group_.channels * group_.channels;
    std::copy(buffer_.data() + (origin - origin_), buffer_.data() + (zeroed_ - origin_), buffer_.data());
    origin_ = origin;
    // Little stays in the first-level cache with room for twice as much; much should be moved rarely.
    const std::int64_t in_use = to - origin_;
    if (in_use + in_use / 4 <= room_) return;
    room_ = in_use <= kSmall ? 2 * in_use : std::max(std::min(4 * in_use, kLargest), 3 * in_use / 2);
    if (room_ > static_cast<std::int64_t>(buffer_.size())) buffer_.resize(static_cast<std::size_t>(room_));
    base_ = buffer_.data();
  }

  void finish_in_place(std::int64_t end) {
    zero_to(end);
    if constexpr (std::is_same_v<T, SumOf<T>>) {
      // A sum that is a NaN becomes the one that is written.
      if (!finite_) narrow_row(base_ + written_, base_ + written_, 1, zeroed_ - written_);
    }
    written_ = zeroed_;
  }

  void write(std::int64_t to) {
    if (to <= written_) return;
    const SumOf<T>* from = buffer_.data() + (written_ - origin_);
    if (dense_) {
      write_run(from, dense_out() + written_, to - written_);
    } else {
      write_cells(from, written_ / group_.channels, to / group_.channels);
    }
    written_ = to;
  }

  void write_run(const SumOf<T>* from, T* out, std::int64_t count) const {
    if (streaming_) return stream_row(from, out, count);
    narrow_row(from, out, 1, count);
  }

  void write_cells(const SumOf<T>* from, std::int64_t begin, std::int64_t end) const {
    std::int64_t row = begin / size_.w;
    std::int64_t w = begin % size_.w;
    while (begin < end) {
      const std::int64_t count = std::min(size_.w - w, end - begin);
      T* to = address<T>(out_, group_, row / size_.h, row % size_.h) + w * out_.w;
      if (group_.channels == 1) {
        out_.w == 1 ? write_run(from, to, count) : narrow_row(from, to, out_.w, count);
        from += count;
      } else {
        for (std::int64_t i = 0; i < count; ++i, from += group_.channels) {
          write_run(from, to + i * out_.w, group_.channels);
        }
      }
      begin += count;
      ++row;
      w = 0;
    }
  }

  const Size3 size_;
  const View5 out_;
  std::vector<SumOf<T>>& buffer_;
  const bool streaming_;
  PlaneGroup group_{};
  bool dense_ = false;
  bool in_place_ = false;
  bool finite_ = true;        // all terms, as far as summed in place
  SumOf<T>* base_ = nullptr;  // the buffer, or the cells themselves
  std::int64_t room_ = 0;     // sums of the buffer that are used, over and over
  // Positions in sums (cell * channels + channel): where the buffer starts, and what of it is written, what
  // zeroed.
  std::int64_t origin_ = 0;
  std::int64_t written_ = 0;
  std::int64_t zeroed_ = 0;
};

}  // namespace cairn
