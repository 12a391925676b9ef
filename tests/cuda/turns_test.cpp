#include <gtest/gtest.h>

#include "conformance/subjects.h"
#include "cuda/gpu.h"
#include "cuda/mirror.h"

// Shapes that random cases do not have: blocks with several turns to do, and windows that several blocks
// share.
namespace cuda_test {
namespace {

using conformance::Case;
using conformance::Role;
using conformance::TensorArgument;
using Numbers = std::vector<std::int64_t>;

TensorArgument read(const Numbers& dims, aclDataType type) { return {Role::kInput, {dims, type}}; }
TensorArgument written(const Numbers& dims, aclDataType type) { return {Role::kOutput, {dims, type}}; }

// With the candidate of this name, which has to take it.
void expect_right(const Case& it, std::string_view name) {
  Stream stream;
  reference::Random random(1);
  conformance::Trial trial(it, random);
  Mirror mirror(trial);
  const conformance::PlanBytes plan = mirror.plan();
  const auto family = static_cast<std::size_t>(it.subject->cases->family);
  for (const cairn::cuda::CudaCandidate& candidate : cairn::cuda::candidates_of(family)) {
    if (candidate.name != name) continue;
    const char* reason = candidate.why_not(plan.get());
    ASSERT_EQ(reason, nullptr) << reason;
    stream.run(candidate, plan.get());
    EXPECT_EQ(mirror.judge(stream), "") << name << " of " << describe(it);
    return;
  }
  FAIL() << "there is no candidate " << name;
}

class CudaTurns : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_expected()) GTEST_SKIP() << kNoGpu;
  }
};

TEST_F(CudaTurns, planes_in_more_tiles_than_blocks) {
  for (const std::int64_t planes : {1500, 1501}) {
    const Numbers whole{planes, 8, 16};
    const Numbers pooled{planes, 1, 2};
    const Numbers size{1, 2};
    for (const aclDataType type : {ACL_FLOAT16, ACL_BF16}) {
      expect_right({&conformance::subject_named("aclnnAdaptiveMaxPool2d"),
                    {read(whole, type), size, written(pooled, type), written(pooled, ACL_INT64)}},
                   "planes");
      expect_right({&conformance::subject_named("aclnnAdaptiveAvgPool2d"),
                    {read(whole, type), size, written(pooled, type)}},
                   "planes");
    }
  }
}

TEST_F(CudaTurns, a_window_of_several_blocks) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16})
    expect_right({&conformance::subject_named("aclnnAdaptiveAvgPool2d"),
                  {read({1, 300, 300}, type), Numbers{1, 1}, written({1, 1, 1}, type)}},
                 "warps");
}

}  // namespace
}  // namespace cuda_test
