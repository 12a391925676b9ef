#include "backend/cpu/pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace cairn {
namespace {

// Below this a second thread costs more than it copies.
constexpr std::size_t kShare = std::size_t{1} << 20;

constexpr std::size_t kPage = 4096;

// Each lane touches this first and last, the caller before and after: it orders all they share. The arena
// does so too, but where the thread sanitizer cannot see it.
constinit std::atomic<unsigned> g_handover{0};

struct Handover {
  Handover() { ++g_handover; }
  ~Handover() { ++g_handover; }
};

// One run of a kernel over the pool. A lane takes the next task until none is left, so that a slow task holds
// up no other.
struct Job {
  std::int64_t tasks;
  FunctionRef<void(std::int64_t)> body;
  std::atomic<std::int64_t> next{0};
};

void work(void* argument) {
  const Handover handover;
  auto* job = static_cast<Job*>(argument);
  for (std::int64_t i = job->next++; i < job->tasks; i = job->next++) job->body(i);
}

bool overlap(const std::byte* a, const std::byte* b, std::size_t bytes) {
  return a < b + bytes && b < a + bytes;
}

void fill_words(std::byte* to, std::uint32_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(value), &value, sizeof(value));
}

}  // namespace

// With one thread there is no arena: a child of fork() has none of its threads.
Pool::Pool(int threads) : threads_(threads) {
  if (threads_ > 1) arena_.emplace(threads_);
}

void Pool::run(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks <= 1 || !arena_) {
    for (std::int64_t i = 0; i < tasks; ++i) body(i);
    return;
  }
  Job job{tasks, body};
  const Handover handover;
  arena_->run(static_cast<int>(std::min<std::int64_t>(tasks, threads_)), work, &job);
}

void Pool::share_out(std::size_t bytes, FunctionRef<void(std::size_t, std::size_t)> body) {
  const std::size_t shares = std::clamp<std::size_t>(bytes / kShare, 1, static_cast<std::size_t>(threads_));
  // Shares end on pages, so that no two threads write one.
  const std::size_t share = (bytes / shares / kPage + 1) * kPage;
  run(static_cast<std::int64_t>(shares), [&](std::int64_t i) {
    const std::size_t begin = std::min(static_cast<std::size_t>(i) * share, bytes);
    body(begin, std::min(share, bytes - begin));
  });
}

void Pool::copy(const RowCopy& rows) {
  if (rows.height > 1) {
    for (std::size_t row = 0; row < rows.height; ++row) {
      std::memmove(rows.to + row * rows.to_pitch, rows.from + row * rows.from_pitch, rows.width);
    }
  } else if (overlap(rows.to, rows.from, rows.width)) {
    std::memmove(rows.to, rows.from, rows.width);
  } else {
    share_out(rows.width, [&](std::size_t begin, std::size_t bytes) {
      std::memcpy(rows.to + begin, rows.from + begin, bytes);
    });
  }
}

void Pool::fill(const Fill& fill) {
  share_out(fill.bytes, [&](std::size_t begin, std::size_t bytes) {
    if (fill.width == 1) {
      std::memset(fill.to + begin, static_cast<int>(fill.value), bytes);
    } else {
      fill_words(fill.to + begin, fill.value, bytes / sizeof(fill.value));
    }
  });
}

}  // namespace cairn
