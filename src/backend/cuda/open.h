#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"

namespace cairn {

struct CudaChoice {
  std::shared_ptr<Backend> backend;  // null: there is no GPU that can be used
  std::string message;               // then: why
};

}  // namespace cairn

// The door of libcairn_cuda.so. `version` is that of the library that asks: the two share C++ types, so they
// must come from one build.
extern "C" __attribute__((visibility("default"))) cairn::CudaChoice cairn_cuda_open(const char* version);
