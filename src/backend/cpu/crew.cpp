#include "backend/cpu/crew.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <system_error>
#include <thread>

#include "backend/ending.h"
#include "common/fp_mode.h"

namespace cairn {
namespace {

using Clock = std::chrono::steady_clock;

// A helper that has just finished looks out for the next job for so long before it sleeps: a wake-up takes as
// long as a small kernel.
constexpr auto kLookout = std::chrono::microseconds(50);

// A system that has refused a thread is not asked again at every kernel.
constexpr auto kRefusalLasts = std::chrono::seconds(1);

}  // namespace

// One run of a kernel. Whoever works on it takes the next task until none is left, so that a slow task holds
// up no other. It lives on its caller's stack until the last helper has left.
struct Crew::Job {
  Job(std::int64_t task_count, FunctionRef<void(std::int64_t)> function)
      : tasks(task_count), body(function) {}

  void work() noexcept {
    try {
      for (std::int64_t i = next++; i < tasks; i = next++) body(i);
    } catch (...) {
      next = tasks;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  const std::int64_t tasks;
  const FunctionRef<void(std::int64_t)> body;
  std::atomic<std::int64_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;

  // Under the crew's lock.
  std::int64_t helpers_wanted = 0;
  int helpers_inside = 0;
  Job* later = nullptr;
};

// Outlives the crew for as long as a helper does.
struct Crew::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(int thread_count) : threads(thread_count) {}

  const int threads;
  std::mutex mutex;
  std::condition_variable wake;     // helpers sleep here
  std::condition_variable changed;  // callers wait here, for their turn and for the last helper
  Job* first = nullptr;             // jobs that want helpers, oldest first
  int helpers = 0;
  int at_work = 0;  // callers and helpers, at most `threads`: many streams do not oversubscribe the machine
  int callers_waiting = 0;
  int asleep = 0;
  bool stopped = false;
  Clock::time_point refused_until{};
  std::atomic<unsigned> announced{0};  // counts jobs, for those who look out

  void add(Job& job) {
    std::unique_lock lock(mutex);
    ++callers_waiting;
    changed.wait(lock, [&] { return at_work < threads; });
    --callers_waiting;
    ++at_work;
    Job** end = &first;
    while (*end != nullptr) end = &(*end)->later;
    *end = &job;
    announced.fetch_add(1, std::memory_order_release);
    const auto wanted = static_cast<int>(job.helpers_wanted);
    for (int i = 0; i < std::min(wanted, asleep); ++i) wake.notify_one();
    while (helpers < wanted && start_helper()) {
    }
  }

  // Takes the job out again; returns when nobody works on it any more.
  void finish(Job& job) {
    std::unique_lock lock(mutex);
    remove(job);
    stop_work();
    ++callers_waiting;
    changed.wait(lock, [&] { return job.helpers_inside == 0; });
    --callers_waiting;
  }

  void stop_work() {
    --at_work;
    if (callers_waiting > 0) changed.notify_all();
    if (first != nullptr && asleep > 0) wake.notify_one();
  }

  void remove(Job& job) {
    for (Job** link = &first; *link != nullptr; link = &(*link)->later) {
      if (*link != &job) continue;
      *link = job.later;
      return;
    }
  }

  bool start_helper() {
    if (process_is_ending() || Clock::now() < refused_until) return false;
    try {
      std::thread([self = shared_from_this()] { self->help(); }).detach();
    } catch (const std::exception&) {  // no thread, or no memory for one
      refused_until = Clock::now() + kRefusalLasts;
      return false;
    }
    ++helpers;
    return true;
  }

  void help() {
    pthread_setname_np(pthread_self(), "cairn-pool");
    const DefaultFpMode mode;
    std::unique_lock lock(mutex);
    while (!stopped) {
      if (Job* job = first; job != nullptr && at_work < threads) {
        if (--job->helpers_wanted == 0) first = job->later;
        ++job->helpers_inside;
        ++at_work;
        lock.unlock();
        job->work();
        lock.lock();
        --job->helpers_inside;
        stop_work();
      } else if (!look_out(lock)) {
        ++asleep;
        wake.wait(lock);
        --asleep;
      }
    }
  }

  // Whether a job was announced within the time.
  bool look_out(std::unique_lock<std::mutex>& lock) {
    const unsigned seen = announced.load(std::memory_order_relaxed);
    lock.unlock();
    const Clock::time_point end = Clock::now() + kLookout;
    bool announcement = false;
    while (!announcement && Clock::now() < end) {
      std::this_thread::yield();
      announcement = announced.load(std::memory_order_acquire) != seen;
    }
    lock.lock();
    return announcement || stopped || (first != nullptr && at_work < threads);
  }
};

Crew::Crew(int threads) : threads_(threads), shared_(std::make_shared<Shared>(threads)) {}

Crew::~Crew() {
  const std::lock_guard lock(shared_->mutex);
  shared_->stopped = true;
  shared_->wake.notify_all();
}

void Crew::run(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks <= 1 || threads_ <= 1 || process_is_ending()) {
    for (std::int64_t i = 0; i < tasks; ++i) body(i);
    return;
  }
  Job job(tasks, body);
  job.helpers_wanted = std::min<std::int64_t>(tasks, threads_) - 1;
  shared_->add(job);
  job.work();
  shared_->finish(job);
  if (job.failure) std::rethrow_exception(job.failure);
}

}  // namespace cairn
