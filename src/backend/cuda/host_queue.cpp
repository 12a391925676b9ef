#include "backend/cuda/host_queue.h"

#include <pthread.h>

#include <atomic>
#include <exception>
#include <thread>
#include <utility>

#include "backend/cuda/driver.h"
#include "backend/cuda/error.h"

namespace cairn::cuda {

// The queue's thread. A host function may end it with pthread_exit: it counts as run, and another thread
// takes over.
class HostQueue::Worker {
 public:
  explicit Worker(HostQueue& queue) : queue_(queue) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    const std::lock_guard lock(queue_.mutex_);
    queue_.has_worker_ = false;
    if (!queue_.dropped_ && !queue_.work_.empty()) queue_.ensure_worker();
  }

 private:
  HostQueue& queue_;
};

// Under the lock. Detached: whoever ends a stream must not have to wait for a host function.
void HostQueue::ensure_worker() {
  if (has_worker_) return;
  try {
    std::thread([self = shared_from_this()] { self->run_until_dropped(); }).detach();
    has_worker_ = true;
  } catch (const std::exception&) {
    // No thread to be had: CUDA's own runs the functions, which can then call nothing of CUDA.
  }
}

void HostQueue::add(cudaStream_t stream, std::function<void()> work) {
  auto self = std::make_unique<std::shared_ptr<HostQueue>>(shared_from_this());
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (dropped_) return;
    work_.push_back(std::move(work));
    number = ++queued_;
    ensure_worker();
  }
  const cudaError_t error = cudaLaunchHostFunc(stream, &HostQueue::on_reached, self.get());
  if (error == cudaSuccess) {
    self.release();  // on_reached deletes it
  } else {
    const std::lock_guard lock(mutex_);
    work_.pop_back();
    --queued_;
    check(error, "queueing a host function");
  }
  check(
      driver().wait_for_value(stream, reinterpret_cast<CUdeviceptr>(done_), number, CU_STREAM_WAIT_VALUE_GEQ),
      "queueing a wait for a host function");
}

void HostQueue::on_reached(void* argument) {
  const std::unique_ptr<std::shared_ptr<HostQueue>> self(static_cast<std::shared_ptr<HostQueue>*>(argument));
  HostQueue& queue = **self;
  std::unique_lock lock(queue.mutex_);
  ++queue.reached_;
  while (!queue.has_worker_ && queue.first_is_reached()) queue.run_first(lock);
  queue.changed_.notify_one();
}

void HostQueue::run_until_dropped() {
  const Worker worker(*this);
  pthread_setname_np(pthread_self(), "cairn-stream");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return dropped_ || first_is_reached(); });
    if (dropped_) return;
    run_first(lock);
  }
}

void HostQueue::run_first(std::unique_lock<std::mutex>& lock) {
  // However the function ends, the stream goes on.
  struct Finish {
    HostQueue& queue;
    std::unique_lock<std::mutex>& lock;
    ~Finish() {
      lock.lock();
      queue.running_ = false;
      if (!queue.dropped_) queue.finish(queue.finished_ + 1);
      queue.changed_.notify_one();
    }
  };
  std::function<void()> first = std::move(work_.front());
  work_.pop_front();
  running_ = true;
  lock.unlock();
  const Finish finish{*this, lock};
  const std::function<void()> work = std::move(first);
  work();
}

void HostQueue::finish(std::uint32_t number) {
  finished_ = number;
  std::atomic_ref<std::uint32_t>(*done_).store(number, std::memory_order_release);
}

bool HostQueue::drop() {
  const std::lock_guard lock(mutex_);
  const bool any = !work_.empty();
  dropped_ = true;
  work_.clear();
  finish(queued_);
  changed_.notify_one();
  return any;
}

}  // namespace cairn::cuda
