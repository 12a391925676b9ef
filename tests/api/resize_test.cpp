#include <cmath>
#include <cstring>

#include "aclnnop/aclnn_resize.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "api/values.h"

// aclnnResize in both of its modes: positions follow from the sizes, whatever the factors say.
namespace api_test {
namespace {

class Resize : public DeviceTest {
 protected:
  template <typename T>
  std::vector<T> resized(const std::vector<T>& cells, std::int64_t out, float factor, const char* mode) {
    const Values<T> self({1, 1, 1, static_cast<std::int64_t>(cells.size())}, cells);
    const Values<T> result({1, 1, 1, out}, T{99});
    const FloatArray factors({1, 1, 1, factor});
    const Outcome outcome = run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return aclnnResizeGetWorkspaceSize(self.tensor, factors, mode, result.tensor, size, executor);
        },
        aclnnResize, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    return result.read();
  }
};

TEST_F(Resize, LinearGoesBySizes) {
  const std::vector<float> by_sizes = {1,          1.125F, 1.5416667F, 1.9583333F, 2.375F, 2.7916667F,
                                       3.2083333F, 3.625F, 4.0416665F, 4.4583335F, 4.875F, 5};
  for (const float factor : {2.5F, 2.4F, 2.5999F})
    EXPECT_EQ(resized<float>({1, 2, 3, 4, 5}, 12, factor, "bilinear"), by_sizes);
  EXPECT_EQ(resized<double>({0, 4}, 4, 2, "bilinear"), (std::vector<double>{0, 1, 3, 4}));
}

TEST_F(Resize, NearestGoesBySizesAndCopiesBits) {
  EXPECT_EQ(resized<float>({1, 2, 3, 4, 5}, 12, 2.5F, "nearest"),
            (std::vector<float>{1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5}));
  // A NaN of its own keeps its payload.
  const std::uint32_t odd = 0xFFC12345;
  float nan = 0;
  std::memcpy(&nan, &odd, sizeof(nan));
  for (const float value : resized<float>({nan}, 3, 3, "nearest")) EXPECT_EQ(std::memcmp(&value, &nan, 4), 0);
}

// Both kernels run under the operator's name, and only there.
TEST_F(Resize, AnExecutorOfEitherModeIsResizes) {
  const Values<float> self({1, 1, 2, 2}, {1, 2, 3, 4});
  const Values<float> out({1, 1, 4, 4}, 0.0F);
  const FloatArray factors({1, 1, 2, 2});
  for (const char* mode : {"nearest", "bilinear"}) {
    std::uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(aclnnResizeGetWorkspaceSize(self.tensor, factors, mode, out.tensor, &size, &executor), 0);
    EXPECT_NE(aclnnUpsampleBilinear2d(nullptr, 0, executor, stream), 0);
    EXPECT_EQ(aclnnResize(nullptr, 0, executor, stream), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  }
}

// The program of the vendor's page.
TEST_F(Resize, EveryCellTwice) {
  const Values<float> self({1, 1, 2, 2}, {1, 2, 3, 4});
  const Values<float> out({1, 1, 4, 4}, 0.0F);
  const FloatArray factors({1, 1, 2, 2});
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnResizeGetWorkspaceSize(self.tensor, factors, "nearest", out.tensor, size, executor);
      },
      aclnnResize, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read(), (std::vector<float>{1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
}

}  // namespace
}  // namespace api_test
