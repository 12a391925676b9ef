#pragma once

#include "aclnn/opdev/op_errno.h"
#include "common/fp_mode.h"
#include "common/no_cancel.h"
#include "runtime/bridge.h"
#include "tensor/bridge.h"

namespace cairn {

// No exception crosses the C boundary; the only ones that can occur are failed allocations.
template <typename Body>
Status guarded(Body body) noexcept {
  const NoCancellation guard;
  try {
    // Scales and positions are computed in phase 1, and must not depend on the caller's mode.
    return in_default_fp_mode(body);
  } catch (...) {
    cairn_runtime_bridge().report_error(ACLNN_ERR_INNER, "the host is out of memory");
    return ACLNN_ERR_INNER;
  }
}

// Phase 2, the same for every operator.
inline Status run_planned(const Kernel& kernel, void* workspace, std::uint64_t workspace_size,
                          aclOpExecutor* executor, void* stream) noexcept {
  return guarded(
      [&] { return cairn_tensor_bridge().run(executor, kernel, workspace, workspace_size, stream); });
}

}  // namespace cairn
