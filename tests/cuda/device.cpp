#include "cuda/device.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cuda_test {

void expect(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(2);
}

DeviceMemory::DeviceMemory(std::size_t bytes) : size_(bytes) {
  void* memory = nullptr;
  expect(cudaMalloc(&memory, bytes), "cudaMalloc");
  data_ = static_cast<unsigned char*>(memory);
}

DeviceMemory::~DeviceMemory() { cudaFree(data_); }

Stream::Stream() {
  expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  int device = 0;
  expect(cudaGetDevice(&device), "cudaGetDevice");
  expect(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device),
         "cudaDeviceGetAttribute");
  void* log = nullptr;
  expect(cudaHostAlloc(&log, sizeof(cairn::cuda::FaultLog), cudaHostAllocMapped), "cudaHostAlloc");
  std::memset(log, 0, sizeof(cairn::cuda::FaultLog));
  faults_ = static_cast<cairn::cuda::FaultLog*>(log);
  expect(cudaMemsetAsync(scratch_.data(), 0, scratch_.size(), stream_), "cudaMemsetAsync");
}

Stream::~Stream() {
  cudaStreamSynchronize(stream_);
  cudaStreamDestroy(stream_);
  cudaFreeHost(faults_);
}

void Stream::run(const cairn::cuda::CudaCandidate& candidate, const void* plan) {
  void* faults = nullptr;
  expect(cudaHostGetDevicePointer(&faults, faults_, 0), "cudaHostGetDevicePointer");
  const cairn::cuda::CudaLaunch launch{
      .stream = stream_,
      .multiprocessors = multiprocessors_,
      .number = ++launches_,
      .name = candidate.name,
      .faults = static_cast<cairn::cuda::FaultLog*>(faults),
      .scratch = reinterpret_cast<cairn::cuda::StreamScratch*>(scratch_.data())};
  expect(candidate.run(plan, launch), candidate.name);
}

void Stream::synchronise() { expect(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

std::optional<reference::Fault> Stream::take_fault() {
  const volatile cairn::cuda::FaultLog& log = *faults_;
  const std::uint64_t read = log.read;
  if (log.written == read) return std::nullopt;
  const auto& entry = log.entries[read % cairn::cuda::FaultLog::kEntries];
  const reference::Fault fault{entry.position, entry.value, entry.plane_size};
  const_cast<volatile std::uint64_t&>(log.read) = log.written;
  return fault;
}

}  // namespace cuda_test
