#include "backend/cuda/stream.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "acl/acl_base.h"
#include "backend/cuda/error.h"
#include "backend/fault.h"

namespace cairn::cuda {
namespace {

using Clock = std::chrono::steady_clock;

// The stream whose host function this thread is running.
thread_local const CudaStream* t_running = nullptr;

// A program that never synchronises must not fill the memory with faults.
constexpr std::size_t kMostFaults = 1024;
// Nor a tool's numbers of launches, of which the latest are worth most.
constexpr std::size_t kMostCalls = 65536;

// Waits with a time limit look again and again: often at first, then at ease.
constexpr auto kEager = std::chrono::microseconds(200);
constexpr auto kPause = std::chrono::microseconds(100);

class OwnEvent {
 public:
  OwnEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "creating an event"); }
  OwnEvent(const OwnEvent&) = delete;
  OwnEvent& operator=(const OwnEvent&) = delete;
  ~OwnEvent() { cudaEventDestroy(event_); }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

cudaStream_t create(const Device& device) {
  const Current current(device);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
  return stream;
}

StreamScratch* allocate_scratch(Device& device) {
  void* memory = device.allocate(sizeof(StreamScratch));
  if (memory == nullptr) check(cudaErrorMemoryAllocation, "allocating a stream's scratch memory");
  return static_cast<StreamScratch*>(memory);
}

}  // namespace

bool wait_for_event(cudaEvent_t event, std::int64_t timeout_ms) {
  const Clock::time_point begin = Clock::now();
  for (;;) {
    const cudaError_t state = cudaEventQuery(event);
    if (state == cudaSuccess) return true;
    if (state != cudaErrorNotReady) check(state, "waiting for an event");
    const Clock::duration waited = Clock::now() - begin;
    if (timeout_ms >= 0 && waited >= std::chrono::milliseconds(timeout_ms)) return false;
    if (waited < kEager) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
}

CudaStream::CudaStream(Device& device)
    : device_(device),
      owned_(true),
      stream_(create(device)),
      mailbox_(device.take_mailbox()),
      scratch_(allocate_scratch(device)),
      host_(std::make_shared<HostQueue>(&mailbox_->done)) {
  device_.enter(*this);
}

CudaStream::CudaStream(Device& device, cudaStream_t stream)
    : device_(device),
      owned_(false),
      stream_(stream == nullptr ? cudaStreamLegacy : stream),
      mailbox_(device.take_mailbox()),
      scratch_(allocate_scratch(device)),
      host_(std::make_shared<HostQueue>(&mailbox_->done)) {
  const Current current(device);
  const cudaError_t state = cudaStreamQuery(stream_);
  if (state != cudaErrorNotReady) check(state, "looking at the CUDA stream");
  device_.enter(*this);
}

CudaStream::~CudaStream() {
  device_.leave(*this);
  try {
    const Current current(device_);
    if (owned_) cudaStreamDestroy(stream_);
    if (!drained_) return;  // kernels under way may still write there
    device_.give_back(mailbox_);
    device_.release(scratch_);
  } catch (const DeviceError&) {
    // A device that has failed keeps what it has until the process ends.
  }
}

bool CudaStream::runs_here() const { return t_running == this; }

void CudaStream::refuse_if_stopped() const {
  if (stopped_) throw ended_stream(retired_);
}

Status CudaStream::launch(const Kernel& kernel, const void* plan, std::size_t, Leases, Choice& choice) {
  const CudaCandidate& candidate = choose(candidates_of(kernel.family), plan, choice);
  const Current current(device_);
  const std::lock_guard lock(mutex_);
  refuse_if_stopped();
  const CudaLaunch launch{.stream = stream_,
                          .multiprocessors = device_.multiprocessors(),
                          .number = ++number_,
                          .name = kernel.name,
                          .faults = &mailbox_->faults,
                          .scratch = scratch_};
  if (choice.call != 0) keep_call(launch.number, choice.call);
  check(candidate.run(plan, launch), "launching the kernel");
  return ACL_SUCCESS;
}

Status CudaStream::copy(const RowCopy& rows, Leases) {
  const Current current(device_);
  {
    const std::lock_guard lock(mutex_);
    refuse_if_stopped();
  }
  copy_in(stream_, rows);
  return ACL_SUCCESS;
}

Status CudaStream::fill(const Fill& fill, Leases) {
  const Current current(device_);
  {
    const std::lock_guard lock(mutex_);
    refuse_if_stopped();
  }
  fill_in(stream_, fill);
  return ACL_SUCCESS;
}

Status CudaStream::host_function(void (*function)(void*), void* argument) {
  run([function, argument]() -> std::optional<Fault> {
    function(argument);
    return std::nullopt;
  });
  return ACL_SUCCESS;
}

void CudaStream::run(std::function<std::optional<Fault>()> work) {
  const Current current(device_);
  device_.load_kernels();
  const std::lock_guard lock(mutex_);
  refuse_if_stopped();
  host_->add(stream_, [self = shared_from_this(), number = ++number_, work = std::move(work)] {
    const CudaStream* outer = std::exchange(t_running, self.get());
    std::optional<Fault> fault = guarded("a host function", work);
    t_running = outer;
    if (!fault) return;
    const std::lock_guard faults_lock(self->faults_mutex_);
    try {
      if (self->faults_.size() < kMostFaults) self->faults_.push_back({number, *std::move(fault)});
    } catch (const std::bad_alloc&) {
      // Without memory to keep it the fault is lost.
    }
  });
}

std::uint64_t CudaStream::record(cudaEvent_t event) {
  const std::lock_guard lock(mutex_);
  refuse_if_stopped();
  check(cudaEventRecord(event, stream_), "recording an event");
  return number_;
}

bool CudaStream::idle() {
  const Current current(device_);
  const cudaError_t state = cudaStreamQuery(stream_);
  if (state != cudaErrorNotReady) check(state, "looking at the stream");
  return state == cudaSuccess;
}

void CudaStream::wait_for_all() {
  const Current current(device_);
  check(cudaStreamSynchronize(stream_), "waiting for the stream");
}

bool CudaStream::lost_work() {
  const std::lock_guard lock(mutex_);
  return retired_ && dropped_;
}

WaitResult CudaStream::wait() {
  if (runs_here()) return WaitResult::kSelf;
  wait_for_all();
  return lost_work() ? WaitResult::kEnding : WaitResult::kDone;
}

Synchronised CudaStream::synchronise(std::int64_t timeout_ms) {
  if (runs_here()) return {WaitResult::kSelf};
  std::uint64_t number = 0;
  if (timeout_ms < 0) {
    {
      const std::lock_guard lock(mutex_);
      number = number_;
    }
    wait_for_all();
  } else {
    const Current current(device_);
    const OwnEvent event;
    {
      const std::lock_guard lock(mutex_);
      check(cudaEventRecord(event.get(), stream_), "recording an event");
      number = number_;
    }
    if (!wait_for_event(event.get(), timeout_ms)) return {WaitResult::kTimedOut};
  }
  if (lost_work()) return {WaitResult::kEnding};
  return {WaitResult::kDone, take_fault(number)};
}

std::optional<Fault> CudaStream::take_known_fault() {
  if (owned_) return std::nullopt;
  const FaultLog& log = mailbox_->faults;
  const bool told =
      std::atomic_ref<const std::uint64_t>(log.written).load(std::memory_order_acquire) != log.read;
  if (!told || runs_here()) return std::nullopt;
  return synchronise(kForever).fault;
}

void CudaStream::keep_call(std::uint64_t number, std::uint64_t call) {
  const std::lock_guard lock(faults_mutex_);
  if (calls_.size() == kMostCalls) calls_.pop_front();
  calls_.emplace_back(number, call);
}

std::uint64_t CudaStream::call_of(std::uint64_t number) const {
  const auto found = std::ranges::lower_bound(calls_, number, {}, &decltype(calls_)::value_type::first);
  return found != calls_.end() && found->first == number ? found->second : 0;
}

// Only what the host knows to be over: a kernel under way may still come upon an earlier position.
void CudaStream::collect_faults(std::uint64_t number) {
  FaultLog& log = mailbox_->faults;
  const std::uint64_t written = std::atomic_ref<std::uint64_t>(log.written).load(std::memory_order_acquire);
  std::uint64_t read = log.read;
  for (; read < written; ++read) {
    const FaultEntry& entry = log.entries[read % FaultLog::kEntries];
    if (entry.launch > number) break;
    Fault fault = index_fault(entry.name, {entry.position, entry.value, entry.plane_size});
    fault.call = call_of(entry.launch);
    faults_.push_back({entry.launch, std::move(fault)});
  }
  std::atomic_ref<std::uint64_t>(log.read).store(read, std::memory_order_release);
}

std::optional<Fault> CudaStream::take_fault(std::uint64_t number) {
  const std::lock_guard lock(faults_mutex_);
  collect_faults(number);
  while (!calls_.empty() && calls_.front().first <= number) calls_.pop_front();
  std::ranges::stable_sort(faults_, {}, &NumberedFault::number);
  const auto end =
      std::ranges::find_if(faults_, [&](const NumberedFault& fault) { return fault.number > number; });
  if (end == faults_.begin()) return std::nullopt;
  Fault first = std::move(faults_.front().fault);
  faults_.erase(faults_.begin(), end);
  return first;
}

void CudaStream::retire(std::int64_t timeout_ms) {
  {
    const std::lock_guard lock(mutex_);
    retired_ = true;
  }
  abandon(timeout_ms);
}

void CudaStream::abandon(std::int64_t timeout_ms) {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (host_->drop()) dropped_ = true;
  }
  try {
    const Current current(device_);
    if (timeout_ms < 0) {
      check(cudaStreamSynchronize(stream_), "waiting for the stream");
      drained_ = true;
    } else {
      const OwnEvent event;
      check(cudaEventRecord(event.get(), stream_), "recording an event");
      drained_ = wait_for_event(event.get(), timeout_ms);
    }
  } catch (const DeviceError&) {
    // Nothing runs on a device that has failed, but what it had cannot be trusted either.
  }
}

}  // namespace cairn::cuda
