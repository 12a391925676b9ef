#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "backend/cpu/pool.h"
#include "backend/cpu/schedule.h"
#include "common/function_ref.h"

namespace cairn {

class CpuStream;

// One record of an event: a place in a stream, and the time the stream got there.
class Mark {
 public:
  bool reached() const { return time_.load(std::memory_order_acquire) != kNever; }
  std::int64_t nanoseconds() const { return time_.load(std::memory_order_acquire); }

  void reach();
  // `stream` is woken when this is reached; it may already be.
  void wake_when_reached(std::weak_ptr<CpuStream> stream);
  // Where it is; somebody waits for it.
  void recorded_by(std::weak_ptr<CpuStream> stream, std::uint64_t number);
  void want();

 private:
  static constexpr std::int64_t kNever = INT64_MIN;

  std::atomic<std::int64_t> time_{kNever};
  std::mutex mutex_;
  std::vector<std::weak_ptr<CpuStream>> sleepers_;
  std::weak_ptr<CpuStream> recorder_;
  std::uint64_t number_ = 0;
};

// An in-order queue with a thread of its own, started by the first task. A thread that waits for the stream
// with no time limit runs the tasks itself, which saves two wake-ups, and one that submits a brief task to an
// idle stream runs that, which saves one; host functions run on the stream's thread only. Where there is no
// such thread (the stream is an inline one, none can be made, or the process is ending) whoever submits,
// waits or looks runs the tasks.
class CpuStream final : public DeviceStream, public std::enable_shared_from_this<CpuStream> {
 public:
  using Clock = std::chrono::steady_clock;

  enum class Runs { kOnItsThread, kInline };
  explicit CpuStream(std::shared_ptr<Pool> pool, Runs runs = Runs::kOnItsThread,
                     std::shared_ptr<Schedule> schedule = nullptr)
      : pool_(std::move(pool)),
        inline_(runs == Runs::kInline),
        schedule_(std::move(schedule)),
        schedule_place_(schedule_ == nullptr ? 0 : schedule_->number_a_stream()) {}

  Status launch(const Kernel& kernel, const void* plan, std::size_t plan_size, Leases leases,
                Choice& choice) override;
  Status copy(const RowCopy& rows, Leases leases) override;
  Status fill(const Fill& fill, Leases leases) override;
  Status host_function(void (*function)(void*), void* argument) override;
  bool idle() override;
  bool runs_here() const override;
  WaitResult wait() override;
  Synchronised synchronise(std::int64_t timeout_ms) override;
  void abandon(std::int64_t timeout_ms) override;
  void retire(std::int64_t timeout_ms) override;

  // Tasks are numbered from 1 in the order they were queued; these return the number.
  std::uint64_t record(std::shared_ptr<Mark> mark);
  std::uint64_t wait_for(std::shared_ptr<Mark> mark, std::int64_t timeout_ms, std::shared_ptr<void> token);
  std::uint64_t run(std::function<void()> work, Leases leases = {});

  // Covers the tasks up to `number`.
  Synchronised synchronise_to(std::uint64_t number, std::int64_t timeout_ms);
  void wake();
  // Somebody waits for the tasks up to `number`: a schedule holds them back no longer.
  void want(std::uint64_t number);

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Work = std::function<std::optional<Fault>()>;
  enum class Kind { kWork, kHostFunction, kRecord, kWait };
  struct Task {
    Kind kind = Kind::kWork;
    const char* name = "a copy";  // what messages call it
    Work work = nullptr;
    Leases leases = {};
    std::shared_ptr<Mark> mark = nullptr;           // of kRecord and kWait
    std::int64_t timeout_ms = kForever;             // of kWait
    std::optional<Clock::time_point> give_up = {};  // of kWait, once it is the first in the queue
    std::shared_ptr<void> token = nullptr;          // dropped when the task is done
    std::optional<Clock::time_point> start = {};    // not before, where a schedule says so; then kBegun
    bool brief = false;                             // done sooner than another thread is woken
  };
  static constexpr Clock::time_point kBegun = Clock::time_point::min();
  struct NumberedFault {
    std::uint64_t number;
    Fault fault;
  };
  class Worker;
  class Running;

  std::uint64_t submit(Task task);
  bool run_at_once(const char* name, FunctionRef<std::optional<Fault>()> work, Leases& leases);
  void ensure_worker();
  void work_until_stopped();
  bool stays_here();
  bool first_is_ready();
  void run_first(Lock& lock);
  void run_ready_without_worker(Lock& lock);
  std::optional<Fault> execute(const Task& task);
  void finish(std::optional<Fault> fault);
  WaitResult wait_to(Lock& lock, std::uint64_t number, std::int64_t timeout_ms);
  void sleep(Lock& lock, Clock::time_point deadline);
  std::optional<Fault> take_fault(std::uint64_t number);
  void settle(Lock& lock, std::int64_t timeout_ms);

  // schedule.cpp
  bool is_held_back();
  void count_query();
  std::optional<Clock::time_point> next_look() const;
  void let_go_if_quiet(Lock& lock);

  const std::shared_ptr<Pool> pool_;
  const bool inline_;
  const std::shared_ptr<Schedule> schedule_;  // null: tasks begin when they can
  const std::uint64_t schedule_place_;
  std::mutex mutex_;
  std::condition_variable work_;  // the stream's thread sleeps here
  std::condition_variable done_;  // those who wait for the stream sleep here
  std::deque<Task> queue_;
  std::uint64_t submitted_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t wanted_ = 0;  // of a schedule: somebody waits for what is queued up to here
  std::uint64_t queries_ = 0;
  std::optional<Kind> running_;  // a task is under way, on whichever thread
  bool has_worker_ = false;
  bool stopped_ = false;  // takes nothing more
  bool retired_ = false;  // has no thread any more
  std::vector<NumberedFault> faults_;
  std::optional<NumberedFault> spare_fault_;  // the first for which there was no memory
};

}  // namespace cairn
