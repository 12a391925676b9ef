#include <gtest/gtest.h>

#include "conformance/subjects.h"
#include "kernels/harness.h"

// Every candidate of every family against the oracle.
namespace kernel_test {
namespace {

using conformance::Case;
using conformance::Extent;
using conformance::FamilySubjects;
using conformance::Trial;
using reference::Random;
using reference::Values;

class Kernels : public testing::TestWithParam<FamilySubjects> {
 protected:
  static Case random_case(Random& random, Extent extent) {
    const std::span<const conformance::Subject> all = GetParam().subjects;
    const auto which = static_cast<std::size_t>(random.between(0, std::ssize(all) - 1));
    return conformance::random_case(all[which], random, extent);
  }

  static std::string check(const Case& it, Random& random, const std::string& repeat,
                           conformance::NanCount* nans = nullptr) {
    note_current_case(describe(it) + "\n" + repeat);
    Trial trial(it, random);
    const std::string wrong =
        check_everywhere(random, trial, candidates_of(GetParam().family), tallies()[GetParam().name]);
    if (nans != nullptr) {
      const conformance::NanCount found = conformance::count_nans(trial.operands[trial.outputs[0]]->view());
      nans->all += found.all;
      nans->others += found.others;
    }
    return wrong.empty() ? wrong : describe(it) + "\n" + wrong;
  }

  static void check_cases(std::uint64_t usual_count, Extent extent) {
    for_each_case(usual_count, [extent](Random& random, const std::string& repeat) {
      return check(random_case(random, extent), random, repeat);
    });
  }

  static std::map<std::string, Tallies>& tallies() {
    static std::map<std::string, Tallies> all;
    return all;
  }
};

TEST_P(Kernels, MeetTheOracle) { check_cases(10000, Extent::kSmall); }

TEST_P(Kernels, MeetTheOracleOnLargePlanes) { check_cases(200, Extent::kLarge); }

TEST_P(Kernels, MeetTheOraclePastTheCache) { check_cases(12, Extent::kPastCache); }

// Calls of every size write past the cache, as large ones do: their rows begin and end anywhere in its lines.
TEST_P(Kernels, MeetTheOracleWhenAllIsStreamed) {
  const AllIsStreamed here;
  check_cases(1000, Extent::kSmall);
  check_cases(50, Extent::kLarge);
}

// Which of several NaNs an addition returns depends on the machine and on the order of its operands: sums
// that kept it would differ from one thread count, layout and device to the next.
TEST_P(Kernels, MakeOneNanOfAll) {
  if (!GetParam().subjects[0].cases->sums) return;
  conformance::NanCount nans;
  for_each_case(400, [&nans](Random& random, const std::string& repeat) {
    Case it = random_case(random, random.chance(10) ? Extent::kLarge : Extent::kSmall);
    it.values = random.pick({Values::kOnlyNans, Values::kOpposites, Values::kNans});
    return check(it, random, repeat, &nans);
  });
  EXPECT_GT(nans.all, 0);
  EXPECT_EQ(nans.others, 0);
}

// After the others: a candidate that no case reaches, or only its fallback's, is as good as untested.
TEST_P(Kernels, EachCandidateWasTaken) {
  if (std::getenv("CAIRN_TEST_CASES") != nullptr) GTEST_SKIP() << "CAIRN_TEST_CASES is set";
  Tallies& counted = tallies()[GetParam().name];
  if (counted.empty()) GTEST_SKIP() << "no case was run";
  for (const cairn::CpuCandidate& candidate : candidates_of(GetParam().family)) {
    std::uint64_t chosen = 0;
    for (const std::int64_t target : targets()) {
      const Tally& tally = counted[{name_of_target(target), candidate.name}];
      chosen += tally.chosen;
      // An instruction set may lack it, which it says of every plan.
      EXPECT_TRUE(tally.chosen > 0 || tally.able == 0)
          << candidate.name << " is never chosen with " << name_of_target(target);
    }
    EXPECT_GT(chosen, 0U) << candidate.name << " is never chosen";
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Kernels, testing::ValuesIn(conformance::families()),
                         [](const auto& it) { return std::string(it.param.name); });

}  // namespace
}  // namespace kernel_test
