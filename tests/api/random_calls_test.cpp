#include <gtest/gtest.h>

#include "api/run_trial.h"
#include "api/support.h"
#include "conformance/subjects.h"

// Random calls through the public functions, on whatever device there is, against the oracle.
namespace api_test {
namespace {

using conformance::Subject;
using conformance::Trial;
using reference::Random;
using reference::Values;

class RandomCalls : public DeviceTest, public testing::WithParamInterface<const Subject*> {
 protected:
  // check(random) gives what is wrong, or nothing.
  template <typename Check>
  void repeat(std::uint64_t usual_count, Check check) {
    const std::uint64_t count = reference::case_count(usual_count);
    for (std::uint64_t i = 0; i < count && !HasFailure(); ++i) {
      const std::uint64_t seed = reference::first_seed() + i;
      Random random(seed);
      const std::string wrong = check(random);
      EXPECT_EQ(wrong, "") << reference::how_to_repeat(seed);
    }
  }
};

TEST_P(RandomCalls, MeetTheOracle) {
  repeat(600, [](Random& random) { return check_random_call(*GetParam(), random, stream); });
}

class RandomSums : public RandomCalls {};

TEST_P(RandomSums, MakeOneNanOfAll) {
  conformance::NanCount nans;
  repeat(300, [&nans](Random& random) {
    using conformance::Extent;
    const Extent extent = random.chance(20) ? Extent::kLarge : Extent::kSmall;
    conformance::Case it = random_case(*GetParam(), random, extent);
    it.values = random.pick({Values::kOnlyNans, Values::kOpposites, Values::kNans});
    Trial trial(it, random);
    const std::string wrong = run_trial(trial, stream);
    const conformance::NanCount found = conformance::count_nans(trial.operands[trial.outputs[0]]->view());
    nans.all += found.all;
    nans.others += found.others;
    return wrong;
  });
  EXPECT_GT(nans.all, 0);
  EXPECT_EQ(nans.others, 0);
}

const auto kName = [](const auto& it) { return std::string(it.param->name); };
std::vector<const Subject*> sums() {
  std::vector<const Subject*> all = conformance::subjects();
  std::erase_if(all, [](const Subject* subject) { return !subject->cases->sums; });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomCalls, testing::ValuesIn(conformance::subjects()), kName);
INSTANTIATE_TEST_SUITE_P(Operators, RandomSums, testing::ValuesIn(sums()), kName);

}  // namespace
}  // namespace api_test
