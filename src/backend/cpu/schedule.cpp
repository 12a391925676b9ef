#include "backend/cpu/schedule.h"

#include "backend/cpu/stream.h"
#include "backend/ending.h"
#include "observe/observer.h"

namespace cairn {
namespace {

constexpr std::chrono::milliseconds kPatience{200};
constexpr std::uint64_t kQueriesForOne = 64;

// splitmix64: neighbours give numbers that have nothing in common.
std::uint64_t scatter(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

}  // namespace

Schedule::Clock::duration Schedule::delay(std::uint64_t stream, std::uint64_t number) const {
  if (!seed_) return Clock::duration::zero();
  const std::uint64_t drawn = scatter(scatter(*seed_ ^ (stream << 32)) ^ number);
  // Half of them at once.
  if ((drawn & 1) != 0) return Clock::duration::zero();
  return Clock::duration((drawn >> 1) % static_cast<std::uint64_t>(longest_delay_.count()));
}

Schedule::Clock::time_point Schedule::quiet_from() const {
  return Clock::time_point(Clock::duration(last_call_.load(std::memory_order_relaxed))) + kPatience;
}

void Mark::recorded_by(std::weak_ptr<CpuStream> stream, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  recorder_ = std::move(stream);
  number_ = number;
}

void Mark::want() {
  std::shared_ptr<CpuStream> recorder;
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    recorder = recorder_.lock();
    number = number_;
  }
  if (recorder != nullptr) recorder->want(number);
}

// Under the lock.
bool CpuStream::is_held_back() {
  if (inline_ || retired_ || process_is_ending()) return false;
  if (schedule_->late()) return completed_ + 1 > wanted_;
  Task& first = queue_.front();
  const Clock::time_point now = Clock::now();
  if (!first.start) first.start = now + schedule_->delay(schedule_place_, completed_ + 1);
  if (now < *first.start) return true;
  first.start = kBegun;
  return false;
}

void CpuStream::want(std::uint64_t number) {
  if (schedule_ == nullptr || !schedule_->late()) return;
  std::vector<std::shared_ptr<Mark>> marks;
  {
    const Lock lock(mutex_);
    if (number <= wanted_) return;
    wanted_ = number;
    std::uint64_t at = completed_ + (running_ ? 1 : 0);
    for (const Task& task : queue_) {
      if (++at > number) break;
      if (task.kind == Kind::kWait && !task.mark->reached()) marks.push_back(task.mark);
    }
    work_.notify_one();
    done_.notify_all();
  }
  // Not under the lock: streams may wait for each other's records.
  for (const std::shared_ptr<Mark>& mark : marks) mark->want();
}

void CpuStream::count_query() {
  if (schedule_ == nullptr) return;
  schedule_->called();
  std::uint64_t next = 0;
  {
    const Lock lock(mutex_);
    if (++queries_ % kQueriesForOne == 0) next = completed_ + 1;
  }
  if (next != 0) want(next);
}

// When the first task may be ready though nobody says so.
std::optional<CpuStream::Clock::time_point> CpuStream::next_look() const {
  if (queue_.empty()) return std::nullopt;
  const Task& first = queue_.front();
  if (schedule_ != nullptr && schedule_->late() && completed_ + 1 > wanted_) return schedule_->quiet_from();
  // It was held back when somebody last looked: that its time has come since is for the next look to find.
  if (first.start && *first.start != kBegun) return first.start;
  return first.give_up;
}

void CpuStream::let_go_if_quiet(Lock& lock) {
  if (schedule_ == nullptr || !schedule_->late() || queue_.empty() || completed_ + 1 <= wanted_) return;
  if (Clock::now() < schedule_->quiet_from()) return;
  // A report that takes its time holds the program's next call up.
  if (Observer* watcher = observer(); watcher != nullptr && watcher->busy()) return schedule_->called();
  const std::uint64_t all = submitted_;
  lock.unlock();
  want(all);
  lock.lock();
}

}  // namespace cairn
