#include "backend/cpu/pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cpu/openmp.h"
#include "backend/ending.h"

namespace cairn {
namespace {

// Below this a second thread costs more than it copies.
constexpr std::size_t kShare = std::size_t{1} << 20;

constexpr std::size_t kPage = 4096;

bool overlap(const std::byte* a, const std::byte* b, std::size_t bytes) {
  return a < b + bytes && b < a + bytes;
}

void fill_words(std::byte* to, std::uint32_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(value), &value, sizeof(value));
}

}  // namespace

int Pool::worth(std::int64_t nanoseconds) const {
  // What one more lane costs the call: waking it, its share of the counters, and waiting for it at the end.
  // What the first of them costs besides: the tensors lie in the caller's cache, and have to be fetched from
  // there. Both after the table of docs/performance.md, from sixteen cores.
  constexpr double kLaneNanoseconds = 2000;
  constexpr double kFetchNanoseconds = 15000;
  // Two lanes are worth it from 38 µs on, three from 31 µs, four from 30.7 µs: most calls end here.
  constexpr std::int64_t kNeverWorthIt = 30000;
  if (nanoseconds < kNeverWorthIt) return 1;
  const auto work = static_cast<double>(nanoseconds);
  // L lanes take work / L + L * cost, which is least here.
  const double least = std::floor(std::sqrt(work / kLaneNanoseconds));
  const double lanes = std::clamp(least, 1.0, static_cast<double>(threads_));
  const bool is_worth_it = work / lanes + lanes * kLaneNanoseconds + kFetchNanoseconds < work;
  return is_worth_it ? static_cast<int>(lanes) : 1;
}

const OpenMp* Pool::openmp() const {
  if (kind_ == PoolKind::kOwn) return nullptr;
  const OpenMp* found = OpenMp::loaded();
  return found != nullptr && found->serves_this_thread() ? found : nullptr;
}

void Pool::run(std::int64_t tasks, int lanes, FunctionRef<void(std::int64_t)> body) {
  lanes = static_cast<int>(std::min<std::int64_t>({tasks, lanes, threads_}));
  const OpenMp* team = lanes > 1 && !process_is_ending() ? openmp() : nullptr;
  if (team != nullptr) lanes = std::min(lanes, team->team_size());
  if (lanes <= 1 || process_is_ending()) {
    for (std::int64_t i = 0; i < tasks; ++i) body(i);
    return;
  }
  Job job(tasks, body);
  {
    Crew::Caller caller(crew_);
    // Callers side by side would each fork a team for all cores.
    if (team != nullptr && caller.is_alone() && OpenMp::can_fork() &&
        (kind_ == PoolKind::kOpenMp || team->seems_awake())) {
      team->run(job, caller.take_more(lanes - 1));
    } else {
      caller.run(job, lanes - 1);
    }
  }
  job.rethrow();
}

std::string Pool::describe() const {
  const OpenMp* openmp = kind_ == PoolKind::kOwn ? nullptr : OpenMp::loaded();
  return std::to_string(threads_) + (threads_ == 1 ? " thread (pool: " : " threads (pool: ") +
         (openmp == nullptr ? "own)" : "openmp, " + openmp->name() + ")");
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

std::ptrdiff_t Pool::to_kernel(const void* address) const {
  for (const std::shared_ptr<const Window>& window : windows_) {
    if (window != nullptr && window->owns(address)) return window->to_kernel();
  }
  return 0;
}

void Pool::copy(const RowCopy& rows) {
  if (!has_windows_) [[likely]]
    return copy_rows(rows);
  RowCopy seen_by_kernels = rows;
  seen_by_kernels.to += to_kernel(rows.to);
  seen_by_kernels.from += to_kernel(rows.from);
  copy_rows(seen_by_kernels);
}

void Pool::copy_rows(const RowCopy& rows) {
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

void Pool::fill(const Fill& given) {
  Fill fill = given;
  fill.to += to_kernel(fill.to);
  share_out(fill.bytes, [&](std::size_t begin, std::size_t bytes) {
    if (fill.width == 1) {
      std::memset(fill.to + begin, static_cast<int>(fill.value), bytes);
    } else {
      fill_words(fill.to + begin, fill.value, bytes / sizeof(fill.value));
    }
  });
}

}  // namespace cairn
