#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "backend/cuda/launch.h"
#include "ops/kit/cuda/fault.cuh"

// Kernels that count on indices near their windows leave the planes where they are not to a second kernel.
namespace cairn::cuda {

// What a stream's scratch memory holds for operators. Values are launch numbers, so nothing has to be reset
// between launches.
struct RepairMarks {
  static constexpr std::uint32_t kPlanes = 1U << 16;

  std::uint32_t launch;           // the last that left planes to repair …
  std::uint32_t planes[kPlanes];  // … and which: plane i at i % kPlanes (a shared slot repairs both)
};
static_assert(sizeof(RepairMarks) <= StreamScratch::kOperatorBytes);

// The planes that this launch leaves to repair.
struct Repairs {
  RepairMarks* marks;
  std::uint32_t launch;

  __device__ void add(std::uint64_t plane) const {
    marks->planes[plane % RepairMarks::kPlanes] = launch;
    marks->launch = launch;
  }
  __device__ bool any() const { return marks->launch == launch; }
  __device__ bool has(std::uint64_t plane) const {
    return marks->planes[plane % RepairMarks::kPlanes] == launch;
  }
};

inline Repairs repairs_of(const CudaLaunch& launch) {
  return {reinterpret_cast<RepairMarks*>(launch.scratch->of_operators),
          static_cast<std::uint32_t>(launch.number)};
}

// For kernels that know of a launch only where it tells of faults.
__device__ inline Repairs repairs_of(const FaultSink& sink) {
  return {reinterpret_cast<RepairMarks*>(sink.scratch->of_operators),
          static_cast<std::uint32_t>(sink.launch)};
}

}  // namespace cairn::cuda
