#include "backend/cuda/event.h"

#include <utility>

#include "acl/acl_base.h"
#include "backend/cuda/error.h"
#include "backend/fault.h"

namespace cairn::cuda {
namespace {

CudaStream& own(DeviceStream& stream) { return static_cast<CudaStream&>(stream); }

}  // namespace

Mark::Mark(CudaStream& stream, Timing timing) : stream_(stream.shared_from_this()) {
  const Current current(stream.device());
  check(cudaEventCreateWithFlags(&event_, timing == Timing::kOn ? cudaEventDefault : cudaEventDisableTiming),
        "creating an event");
  try {
    number_ = stream.record(event_);
  } catch (...) {
    cudaEventDestroy(event_);
    throw;
  }
}

bool Mark::reached() const {
  const cudaError_t state = cudaEventQuery(event_);
  if (state != cudaErrorNotReady) check(state, "looking at an event");
  return state == cudaSuccess;
}

std::shared_ptr<Mark> CudaEvent::latest() {
  const std::lock_guard lock(mutex_);
  return latest_;
}

Status CudaEvent::record(DeviceStream& stream) {
  auto mark = std::make_shared<Mark>(own(stream), Mark::Timing::kOn);
  const std::lock_guard lock(mutex_);
  std::swap(latest_, mark);
  return ACL_SUCCESS;
}

Status CudaEvent::make_wait(DeviceStream& stream, std::int64_t timeout_ms) {
  const std::shared_ptr<Mark> mark = latest();
  if (mark == nullptr) return ACL_SUCCESS;
  const Current current(own(stream).device());
  if (timeout_ms < 0) {
    check(cudaStreamWaitEvent(own(stream).get(), mark->get(), 0), "queueing a wait for an event");
  } else {
    // CUDA's own waits have no end but the event.
    own(stream).run([mark, timeout_ms]() -> std::optional<Fault> {
      if (wait_for_event(mark->get(), timeout_ms)) return std::nullopt;
      return wait_fault(timeout_ms);
    });
  }
  remember_wait(own(stream));
  return ACL_SUCCESS;
}

void CudaEvent::remember_wait(CudaStream& stream) {
  auto passed = std::make_unique<Mark>(stream, Mark::Timing::kOff);
  const std::lock_guard lock(mutex_);
  std::erase_if(waits_, [](const std::unique_ptr<Mark>& wait) { return wait->reached(); });
  waits_.push_back(std::move(passed));
}

Status CudaEvent::reset(DeviceStream& stream) {
  own(stream).run([self = shared_from_this(), mark = latest()]() -> std::optional<Fault> {
    std::shared_ptr<Mark> dropped;
    const std::lock_guard lock(self->mutex_);
    if (self->latest_ == mark) std::swap(dropped, self->latest_);
    return std::nullopt;
  });
  return ACL_SUCCESS;
}

bool CudaEvent::complete() {
  const std::shared_ptr<Mark> mark = latest();
  return mark == nullptr || mark->reached();
}

bool CudaEvent::waits_pending() {
  const std::lock_guard lock(mutex_);
  std::erase_if(waits_, [](const std::unique_ptr<Mark>& wait) { return wait->reached(); });
  return !waits_.empty();
}

Synchronised CudaEvent::synchronise(std::int64_t timeout_ms) {
  const std::shared_ptr<Mark> mark = latest();
  if (mark == nullptr) return {};
  CudaStream& stream = mark->stream();
  if (stream.runs_here()) return {WaitResult::kSelf};
  const Current current(stream.device());
  if (timeout_ms < 0) {
    check(cudaEventSynchronize(mark->get()), "waiting for an event");
  } else if (!wait_for_event(mark->get(), timeout_ms)) {
    return {WaitResult::kTimedOut};
  }
  return {WaitResult::kDone, stream.take_fault(mark->number())};
}

std::optional<std::int64_t> CudaEvent::nanoseconds() {
  const std::shared_ptr<Mark> mark = latest();
  if (mark == nullptr || !mark->reached()) return std::nullopt;
  return mark->stream().device().nanoseconds(mark->get());
}

double CudaEvent::milliseconds_since(DeviceEvent& start) {
  const std::shared_ptr<Mark> from = static_cast<CudaEvent&>(start).latest();
  const std::shared_ptr<Mark> to = latest();
  if (from == nullptr || to == nullptr) return 0;
  const Current current(to->stream().device());
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, from->get(), to->get()), "reading the time between two events");
  return static_cast<double>(elapsed);
}

}  // namespace cairn::cuda
