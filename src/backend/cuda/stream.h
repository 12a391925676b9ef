#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/cuda/host_queue.h"

namespace cairn::cuda {

class CudaStream final : public DeviceStream, public std::enable_shared_from_this<CudaStream> {
 public:
  explicit CudaStream(Device& device);
  // Over a stream of the program's own.
  CudaStream(Device& device, cudaStream_t stream);
  ~CudaStream() override;

  // Leases end with the call: memory that is freed with work under way is kept by the backend.
  Status launch(const Kernel& kernel, const void* plan, std::size_t plan_size, Leases leases,
                Choice& choice) override;
  Status copy(const RowCopy& rows, Leases leases) override;
  Status fill(const Fill& fill, Leases leases) override;
  Status host_function(void (*function)(void*), void* argument) override;
  bool idle() override;
  std::optional<Fault> take_known_fault() override;
  WaitResult wait() override;
  Synchronised synchronise(std::int64_t timeout_ms) override;
  // CUDA takes nothing back: what is queued runs, without its host functions.
  void abandon(std::int64_t timeout_ms) override;
  void retire(std::int64_t timeout_ms) override;

  Device& device() const { return device_; }
  cudaStream_t get() const { return stream_; }
  bool runs_here() const override;

  // Everything queued is numbered from 1; this returns the number that the record covers.
  std::uint64_t record(cudaEvent_t event);
  // Runs `work` on a host thread when the stream gets there, and makes the stream wait for it. A fault that
  // it returns is the stream's.
  void run(std::function<std::optional<Fault>()> work);
  // The first fault up to `number`; what lies up to there is then forgotten.
  std::optional<Fault> take_fault(std::uint64_t number);

 private:
  struct NumberedFault {
    std::uint64_t number;
    Fault fault;
  };

  void wait_for_all();
  void refuse_if_stopped() const;
  bool lost_work();
  void collect_faults(std::uint64_t number);
  void keep_call(std::uint64_t number, std::uint64_t call);
  std::uint64_t call_of(std::uint64_t number) const;

  Device& device_;
  const bool owned_;
  cudaStream_t stream_ = nullptr;
  Mailbox* const mailbox_;
  StreamScratch* const scratch_;
  const std::shared_ptr<HostQueue> host_;

  std::mutex mutex_;  // held while something is queued, so that numbers follow the stream's order
  std::uint64_t number_ = 0;
  bool stopped_ = false;
  bool retired_ = false;  // the process is ending
  bool dropped_ = false;  // host functions that will never run
  bool drained_ = false;  // stopped, and nothing of ours is under way

  std::mutex faults_mutex_;
  std::vector<NumberedFault> faults_;  // by number
  // What a tool calls the launches that no wait has covered yet.
  std::deque<std::pair<std::uint64_t, std::uint64_t>> calls_;
};

// Whether the event is reached within the time.
bool wait_for_event(cudaEvent_t event, std::int64_t timeout_ms);

}  // namespace cairn::cuda
