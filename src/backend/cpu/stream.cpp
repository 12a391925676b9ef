#include "backend/cpu/stream.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "acl/acl_base.h"
#include "backend/cpu/own_thread.h"
#include "backend/ending.h"
#include "backend/fault.h"
#include "common/fp_mode.h"

namespace cairn {
namespace {

// The stream whose task this thread is running.
thread_local const CpuStream* t_running = nullptr;

// A program that never synchronises must not fill the memory with faults.
constexpr std::size_t kMostFaults = 1024;

// A kernel is done with so much in a few microseconds, which it takes to wake a thread at the least.
constexpr std::uint64_t kBriefBytes = 4096;

CpuStream::Clock::time_point deadline_after(std::int64_t timeout_ms) {
  return CpuStream::Clock::now() + std::chrono::milliseconds(timeout_ms);
}

}  // namespace

// Counts a task as done however it ends: a host function may end its thread with pthread_exit.
class CpuStream::Running {
 public:
  Running(CpuStream& stream, Lock& lock, const char* name)
      : stream_(stream), lock_(lock), name_(name), outer_(std::exchange(t_running, &stream)) {
    lock_.unlock();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running() {
    t_running = outer_;
    if (!returned) fault = task_fault(name_, "it ended the thread it ran on");
    lock_.lock();
    stream_.finish(std::move(fault));
  }

  std::optional<Fault> fault;
  bool returned = false;

 private:
  CpuStream& stream_;
  Lock& lock_;
  const char* const name_;
  const CpuStream* const outer_;
};

// The stream's thread. If a host function ends it, another takes its place.
class CpuStream::Worker {
 public:
  explicit Worker(CpuStream& stream) : stream_(stream) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    const std::lock_guard lock(stream_.mutex_);
    stream_.has_worker_ = false;
    if (!stream_.queue_.empty()) stream_.ensure_worker();
    stream_.done_.notify_all();
  }

 private:
  CpuStream& stream_;
};

Status CpuStream::launch(const Kernel& kernel, const void* plan, std::size_t plan_size, Leases leases,
                         Choice& choice) {
  const CpuCandidate& candidate = choose(*kernel.cpu, plan, choice);
  const auto work = [pool = pool_.get(), name = kernel.name, call = choice.call,
                     compute = candidate.run](const void* bound_plan) -> std::optional<Fault> {
    const DefaultFpMode mode;
    const std::optional<IndexFault> fault = compute(bound_plan, *pool);
    if (!fault) return std::nullopt;
    Fault told = index_fault(name, *fault);
    told.call = call;
    return told;
  };
  const bool brief = choice.bytes <= kBriefBytes;
  if (brief && run_at_once(
                   kernel.name, [&] { return work(plan); }, leases))
    return ACL_SUCCESS;
  const auto* bytes = static_cast<const std::byte*>(plan);
  submit(
      {.name = kernel.name,
       .work = [work, copy = std::vector<std::byte>(bytes, bytes + plan_size)] { return work(copy.data()); },
       .leases = std::move(leases),
       .brief = brief});
  return ACL_SUCCESS;
}

// What submit does with a brief task on an idle stream, without making a task of it; false on any other.
bool CpuStream::run_at_once(const char* name, FunctionRef<std::optional<Fault>()> work, Leases& leases) {
  if (schedule_ != nullptr) [[unlikely]]
    return false;
  Lock lock(mutex_);
  if (stopped_ || running_ || !queue_.empty()) return false;
  ++submitted_;
  running_ = Kind::kWork;
  {
    Running running(*this, lock, name);
    const Leases held = std::move(leases);  // gone before the work counts as done, as those of a task
    running.fault = guarded(name, work);
    running.returned = true;
  }
  run_ready_without_worker(lock);
  return true;
}

Status CpuStream::copy(const RowCopy& rows, Leases leases) {
  run([this, rows] { pool_->copy(rows); }, std::move(leases));
  return ACL_SUCCESS;
}

Status CpuStream::fill(const Fill& fill, Leases leases) {
  run([this, fill] { pool_->fill(fill); }, std::move(leases));
  return ACL_SUCCESS;
}

Status CpuStream::host_function(void (*function)(void*), void* argument) {
  submit({.kind = Kind::kHostFunction,
          .name = "a host function",
          .work = [function, argument]() -> std::optional<Fault> {
            function(argument);
            return std::nullopt;
          }});
  return ACL_SUCCESS;
}

std::uint64_t CpuStream::run(std::function<void()> work, Leases leases) {
  return submit({.work = [work = std::move(work)]() -> std::optional<Fault> {
                   work();
                   return std::nullopt;
                 },
                 .leases = std::move(leases)});
}

std::uint64_t CpuStream::submit(Task task) {
  if (schedule_ != nullptr) [[unlikely]]
    schedule_->called();
  Lock lock(mutex_);
  if (stopped_) throw ended_stream(process_is_ending());
  queue_.push_back(std::move(task));
  const std::uint64_t number = ++submitted_;
  if (stays_here()) {
    run_first(lock);
  } else {
    ensure_worker();
    if (has_worker_) {
      lock.unlock();
      work_.notify_one();
      return number;
    }
  }
  run_ready_without_worker(lock);
  return number;
}

// Under the lock: of what was queued last. A schedule has a say in when tasks begin.
bool CpuStream::stays_here() {
  return queue_.size() == 1 && queue_.front().brief && !running_ && schedule_ == nullptr;
}

// Under the lock. Detached: whoever ends a stream must not have to wait for a host function. The thread keeps
// the stream alive.
void CpuStream::ensure_worker() {
  if (has_worker_ || inline_ || stopped_ || retired_ || process_is_ending()) return;
  try {
    std::thread([self = shared_from_this()] { self->work_until_stopped(); }).detach();
    has_worker_ = true;
  } catch (const std::exception&) {
    // No thread, or no memory for one: the program's own threads do the work until there is.
  }
}

void CpuStream::work_until_stopped() {
  const Worker worker(*this);
  const OwnThread here("cairn-stream");
  Lock lock(mutex_);
  while (!stopped_ && !retired_) {
    if (first_is_ready()) {
      run_first(lock);
    } else if (const std::optional<Clock::time_point> look = next_look()) {
      work_.wait_until(lock, *look);
      let_go_if_quiet(lock);
    } else {
      work_.wait(lock);
    }
  }
}

bool CpuStream::first_is_ready() {
  if (running_ || queue_.empty()) return false;
  if (schedule_ != nullptr && is_held_back()) [[unlikely]]
    return false;
  Task& first = queue_.front();
  if (first.kind != Kind::kWait || first.mark->reached()) return true;
  if (first.timeout_ms < 0) return false;
  if (!first.give_up) first.give_up = deadline_after(first.timeout_ms);
  return Clock::now() >= *first.give_up;
}

void CpuStream::run_first(Lock& lock) {
  Task first = std::move(queue_.front());
  queue_.pop_front();
  running_ = first.kind;
  Running running(*this, lock, first.name);
  // Gone before the task counts as done: what it held is free when a wait for it returns.
  const Task task = std::move(first);
  running.fault = execute(task);
  running.returned = true;
}

void CpuStream::finish(std::optional<Fault> fault) {
  running_.reset();
  ++completed_;
  if (fault && faults_.size() < kMostFaults) {
    NumberedFault numbered{completed_, *std::move(fault)};
    try {
      faults_.reserve(faults_.size() + 1);
      faults_.push_back(std::move(numbered));
    } catch (const std::bad_alloc&) {
      if (!spare_fault_) spare_fault_ = std::move(numbered);
    }
  }
  done_.notify_all();
  // The stream's thread may have come to be, or to sleep, while another ran this.
  if (has_worker_ && !queue_.empty()) work_.notify_one();
}

void CpuStream::run_ready_without_worker(Lock& lock) {
  while (!has_worker_ && !stopped_ && first_is_ready()) run_first(lock);
}

std::optional<Fault> CpuStream::execute(const Task& task) {
  if (task.kind == Kind::kRecord) {
    task.mark->reach();
    return std::nullopt;
  }
  if (task.kind == Kind::kWait) {
    if (task.mark->reached()) return std::nullopt;
    return wait_fault(task.timeout_ms);
  }
  return guarded(task.name, task.work);
}

bool CpuStream::runs_here() const { return t_running == this; }

bool CpuStream::idle() {
  count_query();
  Lock lock(mutex_);
  run_ready_without_worker(lock);
  return completed_ == submitted_ || stopped_;
}

void CpuStream::sleep(Lock& lock, Clock::time_point deadline) {
  if (!has_worker_) deadline = std::min(deadline, next_look().value_or(deadline));
  if (deadline == Clock::time_point::max()) {
    done_.wait(lock);
  } else {
    done_.wait_until(lock, deadline);
  }
}

WaitResult CpuStream::wait_to(Lock& lock, std::uint64_t number, std::int64_t timeout_ms) {
  if (runs_here()) return WaitResult::kSelf;
  const Clock::time_point deadline = timeout_ms < 0 ? Clock::time_point::max() : deadline_after(timeout_ms);
  if (schedule_ != nullptr) [[unlikely]] {
    schedule_->called();
    lock.unlock();
    want(number);
    lock.lock();
  }
  while (completed_ < number && !stopped_) {
    const bool ready = first_is_ready();
    if (ready && (!has_worker_ || (timeout_ms < 0 && queue_.front().kind != Kind::kHostFunction))) {
      run_first(lock);
    } else if (!has_worker_ && !ready && !running_ && (retired_ || process_is_ending())) {
      return WaitResult::kEnding;  // it waits for another stream, and no thread will run that
    } else if (timeout_ms >= 0 && Clock::now() >= deadline) {
      return WaitResult::kTimedOut;
    } else {
      // The stream's thread may have gone to sleep while this one was running tasks in its place.
      if (timeout_ms < 0) work_.notify_one();
      sleep(lock, deadline);
    }
  }
  if (!queue_.empty()) work_.notify_one();
  return completed_ < number && process_is_ending() ? WaitResult::kEnding : WaitResult::kDone;
}

WaitResult CpuStream::wait() {
  Lock lock(mutex_);
  return wait_to(lock, submitted_, kForever);
}

Synchronised CpuStream::synchronise(std::int64_t timeout_ms) {
  Lock lock(mutex_);
  const std::uint64_t number = submitted_;
  const WaitResult result = wait_to(lock, number, timeout_ms);
  return {result, result == WaitResult::kDone ? take_fault(number) : std::nullopt};
}

Synchronised CpuStream::synchronise_to(std::uint64_t number, std::int64_t timeout_ms) {
  Lock lock(mutex_);
  const WaitResult result = wait_to(lock, number, timeout_ms);
  return {result, result == WaitResult::kDone ? take_fault(number) : std::nullopt};
}

std::optional<Fault> CpuStream::take_fault(std::uint64_t number) {
  std::optional<NumberedFault> first;
  const auto end =
      std::ranges::find_if(faults_, [&](const NumberedFault& fault) { return fault.number > number; });
  if (end != faults_.begin()) {
    first = std::move(faults_.front());
    faults_.erase(faults_.begin(), end);
  }
  if (spare_fault_ && spare_fault_->number <= number) {
    if (!first || spare_fault_->number < first->number) first = std::move(spare_fault_);
    spare_fault_.reset();
  }
  if (!first) return std::nullopt;
  return std::move(first->fault);
}

void CpuStream::wake() {
  Lock lock(mutex_);
  run_ready_without_worker(lock);
  work_.notify_one();
  done_.notify_all();
}

void CpuStream::settle(Lock& lock, std::int64_t timeout_ms) {
  work_.notify_one();
  done_.notify_all();
  const auto settled = [&] { return !running_ || *running_ == Kind::kHostFunction; };
  if (timeout_ms < 0) {
    done_.wait(lock, settled);
  } else {
    done_.wait_until(lock, deadline_after(timeout_ms), settled);
  }
}

void CpuStream::abandon(std::int64_t timeout_ms) {
  std::deque<Task> dropped;
  {
    Lock lock(mutex_);
    stopped_ = true;
    dropped.swap(queue_);
    settle(lock, timeout_ms);
  }
  // Whoever waits for a record that was dropped must not wait for ever.
  for (const Task& task : dropped) {
    if (task.kind == Kind::kRecord) task.mark->reach();
  }
}

void CpuStream::retire(std::int64_t timeout_ms) {
  Lock lock(mutex_);
  retired_ = true;
  settle(lock, timeout_ms);
}

}  // namespace cairn
