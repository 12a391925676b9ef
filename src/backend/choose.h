#pragma once

#include <memory>
#include <string>

#include "backend/backend.h"
#include "common/status.h"

namespace cairn {

struct BackendChoice {
  std::shared_ptr<Backend> backend;  // null: no device can be used
  Status status = 0;                 // then: what aclInit answers
  std::string message;  // why there is no backend; or with one, what the user should know about it
};

// The CPU's, with the threads that CAIRN_THREADS and CAIRN_POOL ask for.
BackendChoice choose_cpu();

// What CAIRN_DEVICE, CAIRN_THREADS and CAIRN_POOL ask for, read anew at each call.
BackendChoice choose_backend();

}  // namespace cairn
