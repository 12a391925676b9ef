#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace cairn {

struct LoadedCuda {
  std::shared_ptr<Backend> backend;  // null: there is no GPU that can be used
  bool after_fork = false;           // the parent of this process has it
  std::string message;               // why there is no backend
};

// Opens libcairn_cuda.so, the only part of Cairn that knows CUDA. The same backend at every call; none in a
// child of fork() whose parent has it, since CUDA does not survive a fork.
LoadedCuda load_cuda();

}  // namespace cairn
