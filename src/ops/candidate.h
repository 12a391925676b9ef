#pragma once

#include "backend/candidate.h"

namespace cairn {

// What a kernel family writes are functions of its own Plan; a backend hands over plans as bytes.
template <typename Run>
struct ErasedRun;
template <typename Result, typename Plan, typename Where>
struct ErasedRun<Result (*)(const Plan&, Where)> {
  using PlanType = Plan;
  using Run = Result (*)(const void*, Where);
  template <Result (*kRun)(const Plan&, Where)>
  static Result run(const void* plan, Where where) {
    return kRun(*static_cast<const Plan*>(plan), where);
  }
};

// An entry of a family's list: `kWhyNot` is const char*(const Plan&), `kRun` computes a plan.
template <auto kWhyNot, auto kRun>
constexpr auto candidate(const char* name) {
  using Erased = ErasedRun<decltype(kRun)>;
  using Plan = typename Erased::PlanType;
  return Candidate<typename Erased::Run>{
      name, [](const void* plan) -> const char* { return kWhyNot(*static_cast<const Plan*>(plan)); },
      &Erased::template run<kRun>};
}

// What speaks against the last candidate of a list.
template <typename Plan>
constexpr const char* nothing(const Plan& /*plan*/) {
  return nullptr;
}

}  // namespace cairn

// In a family's namespace: a method whose file has `why_not` and `run` in a namespace of its name.
#define CAIRN_CPU_METHOD(method)                                          \
  namespace method {                                                      \
  const char* why_not(const Plan& plan);                                  \
  std::optional<IndexFault> run(const Plan& plan, Workers& workers);      \
  inline constexpr auto kEntry = cairn::candidate<why_not, run>(#method); \
  }

// At the end of such a file, where Highway compiles it for the last time: `run` is `kernel`, compiled for the
// instruction set at hand, which meets no index that could be wrong.
#define CAIRN_RUN_KERNEL(kernel)                                      \
  HWY_EXPORT(kernel);                                                 \
  std::optional<IndexFault> run(const Plan& plan, Workers& workers) { \
    HWY_DYNAMIC_DISPATCH(kernel)(plan, workers);                      \
    return std::nullopt;                                              \
  }

// The same of a CUDA method, whose functions end with its name …
#define CAIRN_CUDA_METHOD(method)                 \
  const char* why_not_##method(const Plan& plan); \
  cudaError_t run_##method(const Plan& plan, const cuda::CudaLaunch& launch);
// … and its entry; the last of a list takes every plan.
#define CAIRN_CUDA_ENTRY(method) cairn::candidate<why_not_##method, run_##method>(#method)
#define CAIRN_CUDA_LAST(method) cairn::candidate<nothing<Plan>, run_##method>(#method)

// The family's lists: entries, best first.
#define CAIRN_CPU_CANDIDATES(...)                   \
  namespace {                                       \
  constexpr std::array kCandidates = {__VA_ARGS__}; \
  }                                                 \
  constexpr std::span<const CpuCandidate> kCpuCandidates = kCandidates;
#define CAIRN_CUDA_CANDIDATES(...)                  \
  namespace {                                       \
  constexpr std::array kCandidates = {__VA_ARGS__}; \
  }                                                 \
  constexpr std::span<const cuda::CudaCandidate> kCudaCandidates = kCandidates;
