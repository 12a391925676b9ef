#pragma once

#include <cuda_runtime_api.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

namespace cairn::cuda {

// Host functions of one stream, on a thread of their own: CUDA's thread for them may call nothing of CUDA,
// and while one function blocks it, those of every other stream wait. CUDA's thread only tells ours that the
// stream has come to the place; the stream then waits for a number in memory that both see.
class HostQueue : public std::enable_shared_from_this<HostQueue> {
 public:
  explicit HostQueue(std::uint32_t* done) : done_(done) {}

  // The stream goes on when `work` has run. One call at a time; the stream's context is current.
  void add(cudaStream_t stream, std::function<void()> work);
  // Functions that have not begun never will, and the stream waits for none. Whether there were any.
  bool drop();

 private:
  class Worker;

  static void CUDART_CB on_reached(void* argument);
  void ensure_worker();
  void run_until_dropped();
  void run_first(std::unique_lock<std::mutex>& lock);
  void finish(std::uint32_t number);
  bool first_is_reached() const { return !running_ && !dropped_ && finished_ != reached_; }

  std::uint32_t* const done_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> work_;
  std::uint32_t queued_ = 0;
  std::uint32_t reached_ = 0;  // the stream has come to that many
  std::uint32_t finished_ = 0;
  bool has_worker_ = false;
  bool running_ = false;  // one at a time, on whichever thread
  bool dropped_ = false;
};

}  // namespace cairn::cuda
