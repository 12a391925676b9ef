#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

#include "backend/cuda/launch.h"
#include "reference/oracle.h"

namespace cuda_test {

// Ends the program with CUDA's text unless all is well.
void expect(cudaError_t error, const char* what);

class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();
  unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  unsigned char* data_ = nullptr;
  std::size_t size_;
};

// A CUDA stream with what launches on it need.
class Stream {
 public:
  Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream();

  cudaStream_t get() const { return stream_; }
  void run(const cairn::cuda::CudaCandidate& candidate, const void* plan);
  void synchronise();
  // What the launches since the last call met first, after a synchronise.
  std::optional<reference::Fault> take_fault();

 private:
  cudaStream_t stream_ = nullptr;
  int multiprocessors_ = 0;
  std::uint64_t launches_ = 0;
  cairn::cuda::FaultLog* faults_ = nullptr;
  DeviceMemory scratch_{sizeof(cairn::cuda::StreamScratch)};
};

}  // namespace cuda_test
