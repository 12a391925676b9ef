#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <mutex>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/stream.h"

namespace cairn::cuda {

// One record of an event: each has a CUDA event of its own, so that whoever waits for one is not misled by
// the next.
class Mark {
 public:
  enum class Timing { kOn, kOff };

  Mark(CudaStream& stream, Timing timing);
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() { cudaEventDestroy(event_); }

  cudaEvent_t get() const { return event_; }
  CudaStream& stream() const { return *stream_; }
  std::uint64_t number() const { return number_; }  // what it covers of its stream
  bool reached() const;

 private:
  const std::shared_ptr<CudaStream> stream_;
  cudaEvent_t event_ = nullptr;
  std::uint64_t number_ = 0;
};

class CudaEvent final : public DeviceEvent, public std::enable_shared_from_this<CudaEvent> {
 public:
  Status record(DeviceStream& stream) override;
  Status make_wait(DeviceStream& stream, std::int64_t timeout_ms) override;
  Status reset(DeviceStream& stream) override;
  bool recorded() override { return latest() != nullptr; }
  bool complete() override;
  bool waits_pending() override;
  Synchronised synchronise(std::int64_t timeout_ms) override;
  std::optional<std::int64_t> nanoseconds() override;
  double milliseconds_since(DeviceEvent& start) override;

 private:
  std::shared_ptr<Mark> latest();
  void remember_wait(CudaStream& stream);

  std::mutex mutex_;
  std::shared_ptr<Mark> latest_;              // null: never recorded
  std::vector<std::unique_ptr<Mark>> waits_;  // each just behind a wait
};

}  // namespace cairn::cuda
