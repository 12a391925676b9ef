#pragma once

#include <list>

#include "conformance/case.h"

namespace conformance {

// A case as phase 1 takes it: live tensors and arrays until the object goes.
class Descriptors {
 public:
  // An address for each argument; only those of tensors count.
  Descriptors(const Case& it, std::span<void* const> addresses);

  aclnnStatus phase1(std::uint64_t* workspace_size, aclOpExecutor** executor) const {
    return subject_.phase1(values_, workspace_size, executor);
  }
  // To put something wrong in.
  std::vector<Value>& values() { return values_; }

 private:
  const Subject& subject_;
  std::list<api_test::Tensor> tensors_;
  std::list<api_test::IntArray> arrays_;
  std::list<api_test::FloatArray> float_arrays_;
  std::list<std::string> texts_;
  std::vector<Value> values_;
};

}  // namespace conformance
