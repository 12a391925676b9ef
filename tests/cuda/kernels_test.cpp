#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "backend/candidate_choice.h"
#include "conformance/subjects.h"
#include "cuda/gpu.h"
#include "cuda/mirror.h"
#include "cuda/placed_plan.h"

// Every CUDA candidate of every family against the oracle, without a runtime around it.
namespace cuda_test {
namespace {

using conformance::Case;
using conformance::Extent;
using conformance::FamilySubjects;
using conformance::Trial;
using reference::Random;

using Wanted = bool (*)(const Case&);

bool any(const Case& /*it*/) { return true; }

// The largest bfloat16 is nearly the largest float: it shows a product that must overflow and does not, such
// as one that is fused with a sum. FLOAT shows the order of sums sooner.
bool may_overflow(const Case& it) {
  return (it.values == reference::Values::kSpecial || it.values == reference::Values::kAnyBits) &&
         it.tensor(0).type == ACL_BF16;
}

class CudaKernels : public testing::TestWithParam<FamilySubjects> {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error == cudaSuccess && devices > 0 && gpu_expected()) return;
    if (!gpu_expected()) GTEST_SKIP() << kNoGpu;
    FAIL() << "there is a GPU that CUDA does not find: " << cudaGetErrorString(error);
  }

  static std::span<const cairn::cuda::CudaCandidate> candidates() {
    return cairn::cuda::candidates_of(static_cast<std::size_t>(GetParam().family));
  }

  static Case case_of(Random& random, Extent extent) {
    const std::span<const conformance::Subject> all = GetParam().subjects;
    const auto which = static_cast<std::size_t>(random.between(0, std::ssize(all) - 1));
    return random_case(all[which], random, extent);
  }

  // Of so many cases; where kernels are slow, a candidate is chosen by no more than its share of them.
  std::vector<std::uint64_t> seeds_of(std::uint64_t count, Extent extent, Wanted wanted) {
    std::vector<std::uint64_t> seeds;
    std::map<std::string, std::uint64_t> cases;
    const bool all = kCasesOfCandidate == UINT64_MAX || std::getenv("CAIRN_TEST_CASES") != nullptr;
    for (std::uint64_t number = 0; number < count; ++number) {
      const std::uint64_t seed = reference::first_seed() + number;
      if (!all) {
        Random random(seed);
        const Case it = case_of(random, extent);
        if (!wanted(it)) continue;
        cairn::Choice choice;
        choose(candidates(), plan_of(it).get(), choice);
        if (++cases[choice.candidate] > kCasesOfCandidate) continue;
      }
      seeds.push_back(seed);
    }
    return seeds;
  }

  // Runs the case, if it is wanted, with each candidate that can take it.
  std::string check(Stream& stream, std::uint64_t seed, Extent extent, Wanted wanted) {
    Random random(seed);
    const Case it = case_of(random, extent);
    if (!wanted(it)) return {};
    Trial trial(it, random);
    Mirror mirror(trial);
    const conformance::PlanBytes plan = mirror.plan();
    cairn::Choice choice;
    choose(candidates(), plan.get(), choice);
    for (const cairn::cuda::CudaCandidate& candidate : candidates()) {
      if (candidate.why_not(plan.get()) != nullptr) continue;
      mirror.reset();
      stream.run(candidate, plan.get());
      const std::string wrong = mirror.judge(stream);
      if (!wrong.empty()) return "candidate " + std::string(candidate.name) + " of " + describe(it) + wrong;
    }
    const std::lock_guard lock(mutex_);
    ++chosen_[choice.candidate];
    return {};
  }

  // The oracle takes longer than the GPU, so every core has a stream.
  void check_cases(std::uint64_t usual_count, Extent extent, Wanted wanted = &any) {
    const std::vector<std::uint64_t> seeds = seeds_of(reference::case_count(usual_count), extent, wanted);
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
      threads.emplace_back([&] {
        Stream stream;
        for (std::size_t number = next++; number < seeds.size() && !HasFailure(); number = next++)
          EXPECT_EQ(check(stream, seeds[number], extent, wanted), "")
              << reference::how_to_repeat(seeds[number]);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  std::map<std::string, std::uint64_t> chosen_;
  std::mutex mutex_;
};

TEST_P(CudaKernels, MeetTheOracleAndAreEachTaken) {
  check_cases(4000, Extent::kSmall);
  check_cases(300, Extent::kLarge);
  if (HasFailure() || std::getenv("CAIRN_TEST_CASES") != nullptr) return;
  for (const cairn::cuda::CudaCandidate& candidate : candidates())
    EXPECT_GT(chosen_[candidate.name], 0U) << candidate.name << " is never chosen";
}

TEST_P(CudaKernels, OverflowLikeTheOracle) { check_cases(100000, Extent::kSmall, &may_overflow); }

INSTANTIATE_TEST_SUITE_P(Families, CudaKernels, testing::ValuesIn(conformance::families()),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace cuda_test
