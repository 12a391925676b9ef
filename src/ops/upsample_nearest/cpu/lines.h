#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "backend/kernel.h"
#include "ops/kit/cpu/scaled_planes.h"
#include "ops/kit/cpu/split.h"
#include "ops/kit/cpu/stream_writer.h"
#include "ops/kit/cpu/types.h"
#include "ops/upsample_nearest/cpu/source_table.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest {

// Of values' planes, lines of W are written in stretches: some neighbouring positions with all the channels
// that lie side by side. T is any type of the right size: bits are copied, never interpreted.
template <typename T>
struct Stretches {
  static constexpr std::int64_t kLineBytes = 16384;
  static constexpr auto kLine =
      std::min(kLineBytes / static_cast<std::int64_t>(sizeof(T)), SourceTable::kMost);

  ScaledPlanes planes;
  bool dense;           // a stretch of values is one run
  bool grows;           // along D or H, so that some lines are alike
  bool large;           // more than the cells that a core has in its cache if they were used lately
  std::int64_t length;  // positions of W
  std::int64_t count;   // to a line of W

  Stretches(const Plan& plan, bool with_channels)
      : planes(plan, plan.self, plan.values, with_channels),
        dense(planes.written.w == planes.channels || planes.w.out == 1),
        grows(planes.d.out > planes.d.in || planes.h.out > planes.h.in),
        large(planes.positions() > kMostKept),
        length(std::clamp<std::int64_t>((is_line() ? kLine : kLong) / planes.channels, 1, planes.w.out)),
        count((planes.w.out + length - 1) / length) {}

  // Whether a line is put together before it is written: cells of a cache line and more are not.
  bool is_line() const { return planes.channels < kCacheLine; }

 private:
  static constexpr auto kCacheLine = 64 / static_cast<std::int64_t>(sizeof(T));
  static constexpr std::int64_t kMostKept = std::int64_t{1} << 18;
  static constexpr auto kLong = 262144 / static_cast<std::int64_t>(sizeof(T));
};

// What a thread keeps from one stretch to the next.
template <typename T>
struct Task {
  static constexpr std::int64_t kMostLanes = 64;

  explicit Task(bool past_cache) : writer(past_cache), streaming(past_cache) {}

  StreamWriter writer;
  const bool streaming;
  SourceTable table;
  const T* held = nullptr;  // the line that `line` was made of
  alignas(64) T line[Stretches<T>::kLine + kMostLanes];
};

// Method<T> says how a stretch is made:
//   kWithChannels        whether channels that lie side by side are copied together
//   lanes()              cells that windows of the table have, 1 if there are none, 0 if it has no table
//   write(s, task, from, to)
// where `from` is the first cell that the stretch takes, `to` its first position.
template <typename T, class Method>
class Lines {
 public:
  explicit Lines(const Plan& plan) : s_(plan, Method::kWithChannels) {}

  void run(Workers& workers) const {
    const ScaledPlanes& planes = s_.planes;
    const auto size = static_cast<std::int64_t>(sizeof(T));
    // Slices that no position takes are not read.
    const std::int64_t read = planes.cells() / planes.d.in * std::min(planes.d.in, planes.d.out);
    const bool streaming = streams_past_cache((read + planes.positions()) * size);
    const std::int64_t lines = planes.n * planes.c * planes.d.out * planes.h.out;
    for_each_range(workers, {.count = lines * s_.count, .elements = s_.length * planes.channels},
                   [&](std::int64_t begin, std::int64_t end) {
                     Task<T> task(streaming);
                     write(task, begin, end);
                   });
  }

 private:
  // Stretches [begin, end), counted over the places in a line, planes, D and H: all that share a table follow
  // each other, also where a plane is one line. Without a table such planes are written as they lie.
  void write(Task<T>& task, std::int64_t begin, std::int64_t end) const {
    const auto& [d_axis, h_axis, w_axis, read, written, planes_n, planes_c, channels] = s_.planes;
    std::int64_t rest = begin;
    const auto next_digit = [&rest](std::int64_t base) {
      const std::int64_t digit = rest % base;
      rest /= base;
      return digit;
    };
    const bool as_they_lie = Method::lanes() == 0 && h_axis.out * d_axis.out == 1;
    std::int64_t stretch = as_they_lie ? next_digit(s_.count) : 0;
    std::int64_t h = next_digit(h_axis.out);
    std::int64_t d = next_digit(d_axis.out);
    std::int64_t c = next_digit(planes_c);
    std::int64_t n = next_digit(planes_n);
    if (!as_they_lie) stretch = rest;
    fill_table(task, stretch);
    for (std::int64_t i = begin; i < end;) {
      const T* slice = static_cast<const T*>(read.data) + n * read.n + c * read.c +
                       d_axis.source(d) * read.d + task.table.first_cell() * read.w;
      T* to = static_cast<T*>(written.data) + n * written.n + c * written.c + d * written.d +
              stretch * s_.length * written.w;
      if (as_they_lie) {
        Method::write(s_, task, slice + h_axis.source(0) * read.h, to);
        ++i;
        if (++stretch == s_.count) {
          stretch = 0;
          if (++c == planes_c) c = 0, ++n;
        }
        fill_table(task, stretch);
        continue;
      }
      for (; i < end && h < h_axis.out; ++i, ++h)
        Method::write(s_, task, slice + h_axis.source(h) * read.h, to + h * written.h);
      h = 0;
      if (++d < d_axis.out) continue;
      d = 0;
      if (++c < planes_c) continue;
      c = 0;
      if (++n < planes_n) continue;
      n = 0;
      if (++stretch < s_.count) fill_table(task, stretch);
    }
  }

  void fill_table(Task<T>& task, std::int64_t stretch) const {
    const std::int64_t first = stretch * s_.length;
    task.held = nullptr;
    task.table.fill(s_.planes.w, first, std::min(s_.length, s_.planes.w.out - first), Method::lanes());
  }

  const Stretches<T> s_;
};

// A method that takes cells whole, one after the other.
struct WholeCells {
  static constexpr bool kWithChannels = true;
  static std::int64_t lanes() { return 1; }
};

// A line of single elements is made once, and written for all the lines that are like it.
template <typename T, class Make>
struct MadeLines {
  static constexpr bool kWithChannels = false;
  static std::int64_t lanes() { return Make::lanes(); }

  static void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    if (from != task.held) {
      if (Make::lanes() != 1) prefetch_lines(s, from);
      Make::line(s.planes, task.table, from, task.line);
    }
    task.held = from;
    const std::int64_t count = task.table.count();
    if (s.dense) return task.writer.write(to, task.line, count);
    for (std::int64_t i = 0; i < count; ++i) to[i * s.planes.written.w] = task.line[i];
  }

 private:
  // The processor stops reading ahead while lines are handed to memory.
  static void prefetch_lines(const Stretches<T>& s, const T* from) {
    constexpr std::int64_t kAhead = 2048;
    const auto* there = reinterpret_cast<const char*>(from) + kAhead;
    const std::int64_t bytes = std::min(s.planes.w.in * static_cast<std::int64_t>(sizeof(T)), kAhead);
    for (std::int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(there + i);
  }
};

template <template <typename> class Method>
void write_lines(const Plan& plan, Workers& workers) {
  if (plan.n * plan.c * plan.out.count() == 0) return;
  with_bits_of_type(plan.type, [&]<typename T>() { Lines<T, Method<T>>(plan).run(workers); });
}

}  // namespace cairn::upsample_nearest
