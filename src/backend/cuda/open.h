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

// The stamp of the build that libcairn_cuda.so is of. It shares C++ types with libacl_rt and plans with
// libopapi, so it is opened only by a libacl_rt with the same stamp.
extern "C" __attribute__((visibility("default"))) const char cairn_cuda_stamp[];
// The door of libcairn_cuda.so.
extern "C" __attribute__((visibility("default"))) cairn::CudaChoice cairn_cuda_open();
