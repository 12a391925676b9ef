#pragma once

#include "backend/cuda/launch.h"

namespace cairn::cuda {

// Where a kernel tells of an index outside its plane.
struct FaultSink {
  FaultLog* log;
  StreamScratch* scratch;
  std::uint64_t launch;
  const char* name;
};

inline FaultSink fault_sink(const CudaLaunch& launch) {
  return {launch.faults, launch.scratch, launch.number, launch.name};
}

// Holding the lock: the launches of a stream follow each other, so a launch's own entry can only be the last.
__device__ inline void log_fault(const FaultSink& sink, const FaultEntry& fault) {
  volatile StreamScratch& scratch = *sink.scratch;
  volatile FaultLog& log = *sink.log;
  const bool first = scratch.fault_launch != fault.launch;
  if (!first && scratch.fault_position <= fault.position) return;
  const std::uint64_t written = log.written;
  if (first && written - log.read >= FaultLog::kEntries) {
    scratch.fault_position = INT64_MIN;  // no room: nothing of this launch is worth coming back for
    __threadfence();
    scratch.fault_launch = fault.launch;
    return;
  }
  volatile FaultEntry& entry = log.entries[(first ? written : written - 1) % FaultLog::kEntries];
  entry.launch = fault.launch;
  entry.name = fault.name;
  entry.position = fault.position;
  entry.value = fault.value;
  entry.plane_size = fault.plane_size;
  __threadfence_system();
  if (first) log.written = written + 1;
  scratch.fault_position = fault.position;
  __threadfence();
  scratch.fault_launch = fault.launch;
}

__device__ __noinline__ inline void report_fault(const FaultSink& sink, std::int64_t position,
                                                 std::int64_t value, std::int64_t plane_size) {
  volatile StreamScratch& scratch = *sink.scratch;
  for (bool done = false; !done;) {
    // Most faults are not the first one: they leave without the lock.
    if (scratch.fault_launch == sink.launch && scratch.fault_position <= position) return;
    if (atomicCAS(&sink.scratch->fault_lock, 0U, 1U) != 0U) continue;
    __threadfence();
    log_fault(sink, {sink.launch, sink.name, position, value, plane_size});
    __threadfence_system();
    atomicExch(&sink.scratch->fault_lock, 0U);
    done = true;
  }
}

}  // namespace cairn::cuda
