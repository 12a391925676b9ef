#include "backend/cuda/host_queue.h"

#include <pthread.h>

#include <atomic>
#include <thread>
#include <utility>

#include "backend/cuda/driver.h"
#include "backend/cuda/error.h"

namespace cairn::cuda {

void HostQueue::add(cudaStream_t stream, std::function<void()> work) {
  std::uint32_t number = 0;
  {
    const std::lock_guard lock(mutex_);
    if (dropped_) return;
    // Detached: whoever ends a stream must not have to wait for a host function.
    if (!started_) std::thread([self = shared_from_this()] { self->run_until_dropped(); }).detach();
    started_ = true;
    number = ++queued_;
    work_.push_back(std::move(work));
  }
  auto* self = new std::shared_ptr<HostQueue>(shared_from_this());
  const cudaError_t error = cudaLaunchHostFunc(stream, &HostQueue::on_reached, self);
  if (error != cudaSuccess) {
    delete self;
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
  const std::lock_guard lock((*self)->mutex_);
  ++(*self)->reached_;
  (*self)->changed_.notify_one();
}

void HostQueue::run_until_dropped() {
  pthread_setname_np(pthread_self(), "cairn-stream");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return dropped_ || finished_ != reached_; });
    if (dropped_) return;
    {
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      lock.unlock();
      work();
    }
    lock.lock();
    if (!dropped_) finish(finished_ + 1);
  }
}

void HostQueue::finish(std::uint32_t number) {
  finished_ = number;
  std::atomic_ref<std::uint32_t>(*done_).store(number, std::memory_order_release);
}

void HostQueue::drop() {
  const std::lock_guard lock(mutex_);
  dropped_ = true;
  work_.clear();
  finish(queued_);
  changed_.notify_one();
}

}  // namespace cairn::cuda
