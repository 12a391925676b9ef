#include "api/random_calls.h"

#include <gtest/gtest.h>

#include "api/support.h"

namespace api_test {
namespace {

using reference::Random;

class RandomCalls : public DeviceTest {
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

TEST_F(RandomCalls, OfMaxPool2dWithIndicesBackward) {
  repeat(600, [](Random& random) { return check_pool(random, true, stream); });
}

TEST_F(RandomCalls, OfMaxPool3dWithArgmaxBackward) {
  repeat(600, [](Random& random) { return check_pool(random, false, stream); });
}

TEST_F(RandomCalls, OfMaxUnpool3dBackward) {
  repeat(600, [](Random& random) { return check_unpool(random, stream); });
}

TEST_F(RandomCalls, OfUpsampleNearest3dBackward) {
  repeat(600, [](Random& random) { return check_upsample(random, stream); });
}

TEST_F(RandomCalls, OfMaxPool2dWithIndices) {
  repeat(600, [](Random& random) { return check_pool_forward(random, true, stream); });
}

TEST_F(RandomCalls, OfMaxPool3dWithArgmax) {
  repeat(600, [](Random& random) { return check_pool_forward(random, false, stream); });
}

TEST_F(RandomCalls, OfMaxUnpool3d) {
  repeat(600, [](Random& random) { return check_unpool_forward(random, stream); });
}

TEST_F(RandomCalls, OfUpsampleNearest3d) {
  repeat(600, [](Random& random) { return check_upsample_forward(random, stream); });
}

}  // namespace
}  // namespace api_test
