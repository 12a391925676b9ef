#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"

// Adaptive max pooling and its gradient as a program uses them: the places that are easily got wrong, and the
// vendor's example programs as they are described.
namespace api_test {
namespace {

using Dims = std::vector<std::int64_t>;
using Floats = std::vector<float>;
using Places = std::vector<std::int64_t>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

class AdaptiveMaxPool : public DeviceTest {
 protected:
  struct Pooled {
    Floats values;
    Places indices;
  };

  template <typename Index = std::int64_t>
  Pooled pool(const Dims& dims, const Floats& content, const Dims& output_size, const Dims& out_dims,
              aclFormat format = ACL_FORMAT_NCHW) {
    const Values<float> self(dims, content);
    const Values<float> out(out_dims, 99.0F);
    const Values<Index> indices(out_dims, Index{99});
    const auto tensor = [format](auto& values) {
      TensorSpec spec = values.spec;
      spec.format = format;
      return Tensor(spec, values.buffer.address());
    };
    const Tensor from = tensor(self);
    const Tensor to = tensor(out);
    const Tensor places = tensor(indices);
    const IntArray sizes(output_size);
    const bool volume = output_size.size() == 3;
    const Outcome outcome = run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return (volume ? aclnnAdaptiveMaxPool3dGetWorkspaceSize : aclnnAdaptiveMaxPool2dGetWorkspaceSize)(
              from, sizes, to, places, size, executor);
        },
        volume ? aclnnAdaptiveMaxPool3d : aclnnAdaptiveMaxPool2d, stream);
    EXPECT_TRUE(outcome.succeeded()) << outcome;
    const auto found = indices.read();
    return {out.read(), Places(found.begin(), found.end())};
  }

  // One row of cells into one row of windows.
  Pooled pool_row(const Floats& row, std::int64_t windows) {
    return pool({1, 1, 1, static_cast<std::int64_t>(row.size())}, row, {1, windows}, {1, 1, 1, windows});
  }
};

Floats counted(std::size_t count) {
  Floats values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST_F(AdaptiveMaxPool, LetsTheLastNanWinAndTheFirstOfEquals) {
  const Pooled nans = pool_row({kNan, 1, kNan, 2}, 1);
  EXPECT_TRUE(std::isnan(nans.values[0]));
  EXPECT_EQ(nans.indices, (Places{2}));
  const Pooled ties = pool_row({2, 2, 1, -0.0F, 0.0F}, 3);
  EXPECT_EQ(ties.values, (Floats{2, 2, 0}));
  EXPECT_TRUE(std::signbit(ties.values[2]));
  EXPECT_EQ(ties.indices, (Places{0, 1, 3}));
  const Pooled nothing = pool_row({-kInfinity, -kInfinity}, 1);
  EXPECT_EQ(nothing.values, (Floats{-kInfinity}));
  EXPECT_EQ(nothing.indices, (Places{0}));
}

TEST_F(AdaptiveMaxPool, PoolsEachChannelWhereChannelsComeLast) {
  const Pooled last = pool({1, 2, 2, 2}, counted(8), {1, 1}, {1, 1, 1, 2}, ACL_FORMAT_NHWC);
  EXPECT_EQ(last.values, (Floats{6, 7}));
  EXPECT_EQ(last.indices, (Places{3, 3}));
}

TEST_F(AdaptiveMaxPool, RepeatsWindowsWhereTheyAreMoreThanCells) {
  const Pooled grown = pool_row({1, 2}, 5);
  EXPECT_EQ(grown.values, (Floats{1, 1, 2, 2, 2}));
  EXPECT_EQ(grown.indices, (Places{0, 0, 1, 1, 1}));
}

TEST_F(AdaptiveMaxPool, TakesTheVendorsPrograms) {
  const Floats expected{5, 7, 9, 11, 17, 19, 21, 23};
  const Places places{5, 7, 9, 11, 5, 7, 9, 11};
  const Pooled image = pool({1, 2, 3, 4}, counted(24), {2, 2}, {1, 2, 2, 2});
  EXPECT_EQ(image.values, expected);
  EXPECT_EQ(image.indices, places);
  const Pooled volume =
      pool<std::int32_t>({1, 2, 1, 3, 4}, counted(24), {1, 2, 2}, {1, 2, 1, 2, 2}, ACL_FORMAT_NCDHW);
  EXPECT_EQ(volume.values, expected);
  EXPECT_EQ(volume.indices, places);
}

// The program for volumes reads its eight INT32 indices back as if they had 64 bits.
TEST_F(AdaptiveMaxPool, LetsAProgramReadWhatAnAllocationWasRoundedUpTo) {
  void* memory = nullptr;
  std::array<char, 64> host{};
  ASSERT_EQ(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_EQ(aclrtMemcpy(host.data(), host.size(), memory, host.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
  EXPECT_EQ(aclrtFree(memory), 0);
}

class AdaptiveMaxPoolBackward : public DeviceTest {
 protected:
  struct Scattered {
    Outcome outcome;
    Floats values;
  };

  Scattered scatter(const Dims& dims, const Dims& out_dims, const Floats& gradients, const Places& at) {
    const Values<float> grad_output(out_dims, gradients);
    const Values<std::int32_t> indices(out_dims, std::vector<std::int32_t>(at.begin(), at.end()));
    const Values<float> grad_input(dims, 99.0F);
    const Tensor self(grad_input.spec, nullptr);
    const bool volume = dims.size() == 5;
    Outcome outcome = run(
        [&](std::uint64_t* size, aclOpExecutor** executor) {
          return (volume ? aclnnAdaptiveMaxPool3dBackwardGetWorkspaceSize
                         : aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize)(
              grad_output.tensor, self, indices.tensor, grad_input.tensor, size, executor);
        },
        volume ? aclnnAdaptiveMaxPool3dBackward : aclnnAdaptiveMaxPool2dBackward, stream);
    return {outcome, grad_input.read()};
  }
};

TEST_F(AdaptiveMaxPoolBackward, TakesTheVendorsPrograms) {
  const Scattered image = scatter({1, 1, 3, 2}, {1, 1, 2, 1}, {0.4757F, 0.8231F}, {1, 4});
  EXPECT_TRUE(image.outcome.succeeded()) << image.outcome;
  EXPECT_EQ(image.values, (Floats{0, 0.4757F, 0, 0, 0.8231F, 0}));
  const Scattered volume = scatter({1, 1, 3, 2, 2}, {1, 1, 2, 1, 1}, {0.4757F, 0.3232F}, {6, 10});
  EXPECT_TRUE(volume.outcome.succeeded()) << volume.outcome;
  EXPECT_EQ(volume.values, (Floats{0, 0, 0, 0, 0, 0, 0.4757F, 0, 0, 0, 0.3232F, 0}));
}

// The listing on the page: an index that is not in the plane.
TEST_F(AdaptiveMaxPoolBackward, ReportsAnIndexOutsideThePlane) {
  const Scattered wrong = scatter({1, 1, 2, 2}, {1, 1, 1, 1}, {0.4757F}, {6});
  EXPECT_EQ(wrong.outcome.phase2, 0);
  EXPECT_EQ(wrong.outcome.synchronise, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_NE(wrong.outcome.message.find("indices[0] is 6"), std::string::npos) << wrong.outcome;
  EXPECT_EQ(wrong.values, (Floats{0, 0, 0, 0}));
}

TEST_F(AdaptiveMaxPoolBackward, CountsAnIndexOutsideItsWindowAndSumsSharedOnes) {
  const Scattered strays = scatter({1, 1, 1, 5}, {1, 1, 1, 3}, {0.5F, 0.25F, 0.125F}, {4, 1, 1});
  EXPECT_TRUE(strays.outcome.succeeded()) << strays.outcome;
  EXPECT_EQ(strays.values, (Floats{0, 0.375F, 0, 0, 0.5F}));
}

TEST_F(AdaptiveMaxPoolBackward, WritesZerosWhereThereAreNoGradients) {
  const Values<float> grad_input({1, 1, 2, 2}, 99.0F);
  const Tensor self(grad_input.spec, nullptr);
  const Tensor grad_output({{1, 1, 0, 2}}, nullptr);
  const Tensor indices({{1, 1, 0, 2}, ACL_INT64}, nullptr);
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(grad_output, self, indices, grad_input.tensor,
                                                              size, executor);
      },
      aclnnAdaptiveMaxPool2dBackward, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(grad_input.read(), (Floats{0, 0, 0, 0}));
}

}  // namespace
}  // namespace api_test
