#include <gtest/gtest.h>

#include <map>

#include "backend/candidate_choice.h"
#include "backend/cuda/launch.h"
#include "conformance/subjects.h"
#include "cuda/placed_plan.h"

// Which CUDA candidate a plan gets is decided on the host: this needs no GPU.
namespace cuda_test {
namespace {

using conformance::Case;
using conformance::Extent;
using conformance::FamilySubjects;
using reference::Random;

class CudaCandidates : public testing::TestWithParam<FamilySubjects> {};

// Of the random cases that cuda_kernels_test compares with the oracle, enough get to each.
TEST_P(CudaCandidates, AreEachChosenByTheirShareOfTheCases) {
  constexpr std::uint64_t kCases = 16000;
  constexpr std::uint64_t kShare = 10;
  const auto candidates = cairn::cuda::candidates_of(static_cast<std::size_t>(GetParam().family));
  std::map<std::string, std::uint64_t> chosen;
  for (std::uint64_t i = 0; i < kCases; ++i) {
    Random random(reference::first_seed() + i);
    const auto which = static_cast<std::size_t>(random.between(0, std::ssize(GetParam().subjects) - 1));
    const Extent extent = i % 10 == 0 ? Extent::kLarge : Extent::kSmall;
    const Case it = random_case(GetParam().subjects[which], random, extent);
    cairn::Choice choice;
    choose(candidates, plan_of(it).get(), choice);
    ++chosen[choice.candidate];
  }
  for (const cairn::cuda::CudaCandidate& candidate : candidates)
    EXPECT_GE(chosen[candidate.name], kShare) << candidate.name << " of " << kCases << " cases";
}

INSTANTIATE_TEST_SUITE_P(Families, CudaCandidates, testing::ValuesIn(conformance::families()),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace cuda_test
