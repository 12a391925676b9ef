#include <hwy/base.h>

#include "backend/kernel.h"
#include "ops/upsample_nearest/cpu/lines.h"
#include "ops/upsample_nearest/plan.h"

namespace cairn::upsample_nearest::elements {
namespace {

template <typename T>
struct Make {
  static std::int64_t lanes() { return 1; }
  static void line(const ScaledPlanes& planes, const SourceTable& table, const T* from, T* to) {
    if (planes.read.w == 1) return take(table, 1, from, to);
    take(table, planes.read.w, from, to);
  }

 private:
  HWY_INLINE static void take(const SourceTable& table, std::int64_t stride, const T* HWY_RESTRICT from,
                              T* HWY_RESTRICT to) {
    const std::int64_t count = table.count();
    HWY_UNROLL(4)
    for (std::int64_t i = 0; i < count; ++i) {
      // Else a compiler makes gathers of these loads, which take longer where a processor has slow ones. Two
      // threads of a Xeon, least ms without them and with: n3-down2 1.15 and 1.54.
      asm volatile("" : "+r"(from));
      to[i] = from[table.source(i) * stride];
    }
  }
};

// Where planes do not grow along D and H, hardly any line is there twice: each is made where it belongs.
// A Xeon, one thread, cells in the cache, least microseconds with it and without: n3-down7 FLOAT 37 and 53,
// FLOAT16 20 and 34; a plain loop takes 32 and 16. Two threads, least ms: n3-down2 FLOAT 1.2 and 2.5.
template <typename T>
struct Method : MadeLines<T, Make<T>> {
  static void write(const Stretches<T>& s, Task<T>& task, const T* from, T* to) {
    if (s.grows || !s.dense || task.streaming) return MadeLines<T, Make<T>>::write(s, task, from, to);
    if (s.large && task.held != nullptr) prefetch(s, task, from);
    task.held = from;
    Make<T>::line(s.planes, task.table, from, to);
  }

 private:
  // Of a larger plane, lines are far apart: those to come probably lie as far from this one as it lies from
  // the one before. In long ones the processor reads ahead by itself. Least ms with it and without: n3-down2
  // FLOAT 1.8 and 2.4.
  static void prefetch(const Stretches<T>& s, const Task<T>& task, const T* from) {
    constexpr std::intptr_t kLines = 3;
    constexpr std::int64_t kLongest = 512 / static_cast<std::int64_t>(sizeof(T));
    const auto here = reinterpret_cast<std::intptr_t>(from);
    const std::intptr_t there = here + kLines * (here - reinterpret_cast<std::intptr_t>(task.held));
    const std::int64_t cells = task.table.source(task.table.count() - 1) * s.planes.read.w;
    constexpr std::int64_t kCacheLine = 64 / static_cast<std::int64_t>(sizeof(T));
    if (cells > kLongest) return;
    for (std::int64_t i = 0; i <= cells; i += kCacheLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(there + i * static_cast<std::int64_t>(sizeof(T))));
    }
  }
};

}  // namespace

const char* why_not(const Plan& /*plan*/) { return nullptr; }

std::optional<IndexFault> run(const Plan& plan, Workers& workers) {
  write_lines<Method>(plan, workers);
  return std::nullopt;
}

}  // namespace cairn::upsample_nearest::elements
