#pragma once

#include "backend/kernel.h"

namespace cairn::test {

// A kernel of one candidate, for tests of what lies around kernels.
class FakeKernel {
 public:
  FakeKernel(const char* name, decltype(CpuCandidate::run) run)
      : candidate_{"only", [](const void*) -> const char* { return nullptr; }, run},
        kernel_{name, 0, &candidates_, [] { return "no instruction set"; }} {}
  FakeKernel(const FakeKernel&) = delete;
  FakeKernel& operator=(const FakeKernel&) = delete;
  operator const Kernel&() const {
    return kernel_;
  }  // NOLINT(google-explicit-constructor): it stands for one
  const Kernel* operator&() const { return &kernel_; }

 private:
  const CpuCandidate candidate_;
  const std::span<const CpuCandidate> candidates_{&candidate_, 1};
  const Kernel kernel_;
};

}  // namespace cairn::test
