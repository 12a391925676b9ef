#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/launch.h"

namespace cairn::cuda {

// What a stream and the host tell each other, in pinned memory that both see at one address.
struct Mailbox {
  std::uint32_t done;  // how far the stream's host functions are
  FaultLog faults;
};

class CudaStream;

// One GPU: its primary context, which PyTorch and CuPy use too, and what our streams on it share.
class Device {
 public:
  explicit Device(int id);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int id() const { return id_; }
  CUcontext context() const { return context_; }
  int multiprocessors() const { return multiprocessors_; }

  // Zeroed; null when there is not that much. Neither waits for what is under way on any stream but the
  // device's own: a host function may call them.
  void* allocate(std::size_t bytes);
  void release(void* memory);

  void copy(const RowCopy& rows);
  void fill(const Fill& fill);
  MemoryInfo memory_info() const;

  // Whether the address lies in the pool that allocate() takes from.
  bool owns(CUmemoryPool pool) const { return pool_ == pool; }

  // Every stream on this device, wrapped ones too, from when it is made until it ends.
  void enter(CudaStream& stream);
  void leave(CudaStream& stream);
  // Adds an event behind whatever those streams have yet to do.
  void mark_work_under_way(std::vector<cudaEvent_t>& marks);

  Mailbox* take_mailbox();
  void give_back(Mailbox* mailbox);

  // Every kernel of ours, before the first host function holds a stream; launch.h says why.
  void load_kernels();

  // When the event was reached, since some time in the past.
  std::int64_t nanoseconds(cudaEvent_t event);

 private:
  void restart_clock();

  const int id_;
  CUcontext context_ = nullptr;
  int multiprocessors_ = 0;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t stream_ = nullptr;  // for what belongs to no stream of the program

  std::mutex streams_mutex_;
  std::vector<CudaStream*> streams_;

  std::mutex mailboxes_mutex_;
  std::vector<Mailbox*> free_mailboxes_;

  std::once_flag kernels_loaded_;

  std::mutex clock_mutex_;
  cudaEvent_t clock_ = nullptr;  // reached at clock_ns_
  std::int64_t clock_ns_ = 0;
};

// Makes the device's context the thread's for as long as it lives; then that is what it was before.
class Current {
 public:
  explicit Current(const Device& device);
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  ~Current();

 private:
  CUcontext before_ = nullptr;
  bool changed_ = false;
};

// In a stream of the current device.
void copy_in(cudaStream_t stream, const RowCopy& rows);
void fill_in(cudaStream_t stream, const Fill& fill);

Location locate(const void* address);

}  // namespace cairn::cuda
