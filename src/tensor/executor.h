#pragma once

#include <atomic>
#include <memory>

#include "tensor/registry.h"

namespace cairn {

// A planned call behind its handle. The plan in it is never written again, so that runs need no lock: each
// binds the addresses into a copy of its own.
struct Executor {
  explicit Executor(PlannedCall&& planned) : call(std::move(planned)) {}

  const PlannedCall call;
  std::atomic<bool> repeatable{false};
};

// Phase 2 once the executor is found and retired: checks, binds, queues. The tensors lie at `addresses`, or
// without any where their descriptors say.
Status run_call(const PlannedCall& call, void* const* addresses, void* workspace,
                std::uint64_t workspace_size, void* stream);

}  // namespace cairn
