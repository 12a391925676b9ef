#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "backend/candidate.h"

namespace cairn::cuda {

// A launch that met an index outside its plane: the smallest flat position, and what was found there.
struct FaultEntry {
  std::uint64_t launch;
  const char* name;  // the host's own pointer, carried through
  std::int64_t position;
  std::int64_t value;
  std::int64_t plane_size;
};

// In mapped pinned memory, so that the host can read it after a synchronise without asking the device.
// Kernels append to it in stream order and touch it only on a fault; the host moves `read` on. The first
// kEntries faulty launches since then are kept, later ones are not.
struct FaultLog {
  static constexpr std::uint64_t kEntries = 64;

  std::uint64_t written;
  std::uint64_t read;
  FaultEntry entries[kEntries];  // entry i is at i % kEntries
};

// Device memory that a stream owns: zeroed when the stream is made, left to kernels from then on.
struct StreamScratch {
  static constexpr std::size_t kOperatorBytes = (1U << 18) + 16;
  static constexpr std::size_t kTableBytes = 1U << 20;
  static constexpr std::size_t kTickets = 64;

  std::uint64_t fault_launch;  // the last launch that logged a fault, and the smallest position it met
  std::int64_t fault_position;
  std::uint32_t fault_lock;
  std::uint32_t tickets[kTickets];  // of blocks, which count those that are done; the last leaves zero
  alignas(16) unsigned char of_operators[kOperatorBytes];  // what lies there is theirs to say
  alignas(16) unsigned char of_tables[kTableBytes];        // of one launch; nothing stays there for the next
};

// What a launch gets besides its plan.
struct CudaLaunch {
  cudaStream_t stream;
  int multiprocessors;
  std::uint64_t number;    // counts the stream's launches from 1
  const char* name;        // for the fault's entry
  FaultLog* faults;        // as the device sees it
  StreamScratch* scratch;  // on the device
};

// `plan` is the operator's own Plan with device addresses filled in. Returns when the work is queued.
using CudaCandidate = Candidate<cudaError_t (*)(const void* plan, const CudaLaunch& launch)>;

// Of the operators of a family, as Kernel has it.
std::span<const CudaCandidate> candidates_of(std::size_t family);

// One kernel of every object file that has some. CUDA loads a kernel when it is first started, and may then
// wait for all that is under way: a host function that starts one would wait for itself. So the first host
// function has them loaded, and finds them from here.
// Made while the library is loaded, where nobody could catch an exception: a list that needs no memory.
struct ModuleNote {
  explicit ModuleNote(const void* known_kernel);

  const void* kernel;
  const ModuleNote* next;
};
const ModuleNote* modules();

}  // namespace cairn::cuda
