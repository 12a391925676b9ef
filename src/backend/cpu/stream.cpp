#include "backend/cpu/stream.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>

#include "acl/acl_base.h"
#include "backend/fault.h"

namespace cairn {
namespace {

// The stream whose task this thread is running.
thread_local const CpuStream* t_running = nullptr;

// A program that never synchronises must not fill the memory with faults.
constexpr std::size_t kMostFaults = 1024;

CpuStream::Clock::time_point deadline_after(std::int64_t timeout_ms) {
  return CpuStream::Clock::now() + std::chrono::milliseconds(timeout_ms);
}

}  // namespace

void Mark::reach() {
  std::vector<std::weak_ptr<CpuStream>> sleepers;
  {
    const std::lock_guard lock(mutex_);
    time_.store(CpuStream::Clock::now().time_since_epoch() / std::chrono::nanoseconds(1),
                std::memory_order_release);
    sleepers.swap(sleepers_);
  }
  for (const std::weak_ptr<CpuStream>& sleeper : sleepers) {
    if (const std::shared_ptr<CpuStream> stream = sleeper.lock()) stream->wake();
  }
}

void Mark::wake_when_reached(std::weak_ptr<CpuStream> stream) {
  const std::lock_guard lock(mutex_);
  if (!reached()) sleepers_.push_back(std::move(stream));
}

Status CpuStream::launch(const Kernel& kernel, const void* plan, std::size_t plan_size) {
  const auto* bytes = static_cast<const std::byte*>(plan);
  submit({.name = kernel.name,
          .work = [this, name = kernel.name, cpu = kernel.cpu,
                   copy = std::vector<std::byte>(bytes, bytes + plan_size)]() -> std::optional<Fault> {
            const std::optional<IndexFault> fault = cpu(copy.data(), *pool_);
            if (!fault) return std::nullopt;
            return index_fault(name, *fault);
          }});
  return ACL_SUCCESS;
}

Status CpuStream::copy(const RowCopy& rows) {
  run([this, rows] { pool_->copy(rows); });
  return ACL_SUCCESS;
}

Status CpuStream::fill(const Fill& fill) {
  run([this, fill] { pool_->fill(fill); });
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

std::uint64_t CpuStream::record(std::shared_ptr<Mark> mark) {
  return submit({.kind = Kind::kRecord, .mark = std::move(mark)});
}

std::uint64_t CpuStream::wait_for(std::shared_ptr<Mark> mark, std::int64_t timeout_ms,
                                  std::shared_ptr<void> token) {
  mark->wake_when_reached(weak_from_this());
  return submit(
      {.kind = Kind::kWait, .mark = std::move(mark), .timeout_ms = timeout_ms, .token = std::move(token)});
}

std::uint64_t CpuStream::run(std::function<void()> work) {
  return submit({.work = [work = std::move(work)]() -> std::optional<Fault> {
    work();
    return std::nullopt;
  }});
}

std::uint64_t CpuStream::submit(Task task) {
  std::unique_lock lock(mutex_);
  if (stopped_) {
    lock.unlock();
    if (task.kind == Kind::kRecord) task.mark->reach();
    return 0;
  }
  if (!started_) {
    // Detached: whoever ends a stream must not have to wait for a host function. The thread keeps the stream
    // alive.
    std::thread([self = shared_from_this()] { self->work_until_stopped(); }).detach();
    started_ = true;
  }
  queue_.push_back(std::move(task));
  const std::uint64_t number = ++submitted_;
  lock.unlock();
  work_.notify_one();
  return number;
}

void CpuStream::work_until_stopped() {
  pthread_setname_np(pthread_self(), "cairn-stream");
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    if (first_is_ready()) {
      run_first(lock);
    } else if (!queue_.empty() && queue_.front().give_up) {
      work_.wait_until(lock, *queue_.front().give_up);
    } else {
      work_.wait(lock);
    }
  }
}

bool CpuStream::first_is_ready() {
  if (running_ || queue_.empty()) return false;
  Task& first = queue_.front();
  if (first.kind != Kind::kWait || first.mark->reached()) return true;
  if (first.timeout_ms < 0) return false;
  if (!first.give_up) first.give_up = deadline_after(first.timeout_ms);
  return Clock::now() >= *first.give_up;
}

void CpuStream::run_first(std::unique_lock<std::mutex>& lock) {
  std::optional<Fault> fault;
  {
    Task task = std::move(queue_.front());
    queue_.pop_front();
    running_ = task.kind;
    lock.unlock();
    const CpuStream* outer = std::exchange(t_running, this);
    fault = execute(task);
    t_running = outer;
  }
  lock.lock();
  running_.reset();
  ++completed_;
  if (fault && faults_.size() < kMostFaults) faults_.push_back({completed_, *std::move(fault)});
  done_.notify_all();
}

std::optional<Fault> CpuStream::execute(Task& task) {
  if (task.kind == Kind::kRecord) {
    task.mark->reach();
    return std::nullopt;
  }
  if (task.kind == Kind::kWait) {
    if (task.mark->reached()) return std::nullopt;
    return wait_fault(task.timeout_ms);
  }
  try {
    return task.work();
  } catch (const std::exception& error) {
    return task_fault(task.name, error.what());
  } catch (...) {
    return task_fault(task.name, "an exception that is not a std::exception");
  }
}

bool CpuStream::idle() {
  const std::lock_guard lock(mutex_);
  return completed_ == submitted_ || stopped_;
}

WaitResult CpuStream::wait_to(std::unique_lock<std::mutex>& lock, std::uint64_t number,
                              std::int64_t timeout_ms) {
  if (t_running == this) return WaitResult::kSelf;
  const Clock::time_point deadline = timeout_ms < 0 ? Clock::time_point::max() : deadline_after(timeout_ms);
  while (completed_ < number && !stopped_) {
    if (timeout_ms >= 0) {
      if (Clock::now() >= deadline) return WaitResult::kTimedOut;
      done_.wait_until(lock, deadline);
    } else if (first_is_ready() && queue_.front().kind != Kind::kHostFunction) {
      run_first(lock);
    } else {
      // The stream's thread may have gone to sleep while this one was running tasks in its place.
      work_.notify_one();
      done_.wait(lock);
    }
  }
  if (!queue_.empty()) work_.notify_one();
  return WaitResult::kDone;
}

WaitResult CpuStream::wait() {
  std::unique_lock lock(mutex_);
  return wait_to(lock, submitted_, kForever);
}

Synchronised CpuStream::synchronise(std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = submitted_;
  const WaitResult result = wait_to(lock, number, timeout_ms);
  return {result, result == WaitResult::kDone ? take_fault(number) : std::nullopt};
}

Synchronised CpuStream::synchronise_to(std::uint64_t number, std::int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  const WaitResult result = wait_to(lock, number, timeout_ms);
  return {result, result == WaitResult::kDone ? take_fault(number) : std::nullopt};
}

std::optional<Fault> CpuStream::take_fault(std::uint64_t number) {
  const auto end =
      std::ranges::find_if(faults_, [&](const NumberedFault& fault) { return fault.number > number; });
  if (end == faults_.begin()) return std::nullopt;
  Fault first = std::move(faults_.front().fault);
  faults_.erase(faults_.begin(), end);
  return first;
}

void CpuStream::wake() {
  const std::lock_guard lock(mutex_);
  work_.notify_one();
}

void CpuStream::abandon(std::int64_t timeout_ms) {
  std::deque<Task> dropped;
  {
    std::unique_lock lock(mutex_);
    stopped_ = true;
    dropped.swap(queue_);
    work_.notify_one();
    done_.notify_all();
    const Clock::time_point deadline = timeout_ms < 0 ? Clock::time_point::max() : deadline_after(timeout_ms);
    const auto settled = [&] { return !running_ || *running_ == Kind::kHostFunction; };
    if (timeout_ms < 0) {
      done_.wait(lock, settled);
    } else {
      done_.wait_until(lock, deadline, settled);
    }
  }
  // Whoever waits for a record that was dropped must not wait for ever.
  for (const Task& task : dropped) {
    if (task.kind == Kind::kRecord) task.mark->reach();
  }
}

}  // namespace cairn
