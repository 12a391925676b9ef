#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_nn.h"
#include "api/values.h"
#include "reference/random.h"

// The forward operators as a program uses them: alone, against their gradients, and when something is wrong.
namespace api_test {
namespace {

constexpr aclnnStatus kNullPointer = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Dims = std::vector<std::int64_t>;

struct Windows {
  Dims kernel{2};
  Dims stride{};
  Dims padding{0};
  Dims dilation{1};
  bool ceil_mode = false;
};

Outcome max_pool(const Tensor& self, const Windows& windows, const Tensor& out, const Tensor& indices,
                 aclrtStream stream) {
  const IntArray kernel(windows.kernel);
  const IntArray stride(windows.stride);
  const IntArray padding(windows.padding);
  const IntArray dilation(windows.dilation);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool3dWithArgmaxGetWorkspaceSize(self, kernel, stride, padding, dilation,
                                                        windows.ceil_mode, out, indices, size, executor);
      },
      aclnnMaxPool3dWithArgmax, stream);
}

Outcome max_pool_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                          const Windows& windows, const Tensor& grad_input, aclrtStream stream) {
  const IntArray kernel(windows.kernel);
  const IntArray stride(windows.stride);
  const IntArray padding(windows.padding);
  const IntArray dilation(windows.dilation);
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(grad, self, indices, kernel, stride, padding,
                                                                dilation, windows.ceil_mode, grad_input, size,
                                                                executor);
      },
      aclnnMaxPool3dWithArgmaxBackward, stream);
}

Outcome max_unpool(const Tensor& self, const Tensor& indices, const Dims& output_size, const Tensor& out,
                   aclrtStream stream) {
  const IntArray sizes(output_size);
  const IntArray three({1, 1, 1});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dGetWorkspaceSize(self, indices, sizes, three, three, out, size, executor);
      },
      aclnnMaxUnpool3d, stream);
}

Outcome max_unpool_backward(const Tensor& grad, const Tensor& self, const Tensor& indices,
                            const Dims& output_size, const Tensor& out, aclrtStream stream) {
  const IntArray sizes(output_size);
  const IntArray three({1, 1, 1});
  return run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnMaxUnpool3dBackwardGetWorkspaceSize(grad, self, indices, sizes, three, three, out, size,
                                                        executor);
      },
      aclnnMaxUnpool3dBackward, stream);
}

using Scales = std::array<double, 3>;

template <typename T>
std::vector<T> upsample(const Dims& in, const std::vector<T>& content, const Dims& out, const Scales& scales,
                        aclrtStream stream) {
  const Values<T> self({1, 1, in[0], in[1], in[2]}, content);
  const Values<T> result({1, 1, out[0], out[1], out[2]}, T{99});
  const IntArray sizes(out);
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dGetWorkspaceSize(self.tensor, sizes, scales[0], scales[1], scales[2],
                                                      result.tensor, size, executor);
      },
      aclnnUpsampleNearest3d, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  return result.read();
}

template <typename T>
std::vector<T> upsample_backward(const Dims& in, const Dims& out, const std::vector<T>& content,
                                 const Scales& scales, aclrtStream stream) {
  const Dims input{1, 1, in[0], in[1], in[2]};
  const Values<T> grad({1, 1, out[0], out[1], out[2]}, content);
  const Values<T> result(input, T{99});
  const IntArray output_size(out);
  const IntArray input_size(input);
  const Outcome outcome = run(
      [&](std::uint64_t* size, aclOpExecutor** executor) {
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(grad.tensor, output_size, input_size, scales[0],
                                                              scales[1], scales[2], result.tensor, size,
                                                              executor);
      },
      aclnnUpsampleNearest3dBackward, stream);
  EXPECT_TRUE(outcome.succeeded()) << outcome;
  return result.read();
}

std::vector<float> noise(std::size_t count) {
  reference::Random random(7);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.unit() - 0.5);
  return values;
}

class MaxPoolForward : public DeviceTest {};

TEST_F(MaxPoolForward, GivesMinusOneWhereDilationMissesThePlaneAndTheGradientGoesNowhere) {
  const Values<float> self({1, 1, 1, 1, 4}, {1, 2, 3, 4});
  const Values<float> out({1, 1, 1, 1, 1}, 99.0F);
  const Values<std::int32_t> indices({1, 1, 1, 1, 1}, 99);
  const Values<float> grad_input({1, 1, 1, 1, 4}, 99.0F);
  const Windows windows{{1, 1, 2}, {1}, {0, 0, 1}, {1, 1, 5}};  // taps at -1 and 4
  EXPECT_TRUE(max_pool(self.tensor, windows, out.tensor, indices.tensor, stream).succeeded());
  EXPECT_EQ(out.read()[0], -kInfinity);
  EXPECT_EQ(indices.read()[0], -1);
  EXPECT_TRUE(max_pool_backward(out.tensor, self.tensor, indices.tensor, windows, grad_input.tensor, stream)
                  .succeeded());
  EXPECT_EQ(grad_input.read(), (std::vector<float>{0, 0, 0, 0}));
  const Values<float> unpooled({1, 1, 1, 1, 4}, 99.0F);
  EXPECT_TRUE(max_unpool(out.tensor, indices.tensor, {1, 1, 4}, unpooled.tensor, stream).succeeded());
  EXPECT_EQ(unpooled.read(), (std::vector<float>{0, 0, 0, 0}));
}

TEST_F(MaxPoolForward, WritesWindowsOfPaddingOverAPlaneWithoutPositions) {
  const Tensor self({{1, 1, 0, 2, 2}}, nullptr);
  const Values<float> out({1, 1, 1, 1, 1}, 99.0F);
  const Values<std::int64_t> indices({1, 1, 1, 1, 1}, std::int64_t{99});
  const Outcome outcome = max_pool(self, {{2}, {2}, {1, 0, 0}, {1}}, out.tensor, indices.tensor, stream);
  ASSERT_TRUE(outcome.succeeded()) << outcome;
  EXPECT_EQ(out.read()[0], -kInfinity);
  EXPECT_EQ(indices.read()[0], -1);
}

TEST_F(MaxPoolForward, TakesWindowsAsLargeAsTheirTypeAllows) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  const Values<float> self({1, 1, 1, 2, 3}, {4, 2, 5, 1, 6, 3});
  const Values<float> out({1, 1, 1, 1, 1}, 99.0F);
  const Values<std::int32_t> indices({1, 1, 1, 1, 1}, 99);
  for (const Windows& windows : {Windows{{kHuge - 1}, {kHuge}, {kHuge / 2}, {1}, true},
                                 Windows{{1, 2, kHuge}, {kHuge}, {0, 1, kHuge / 2}, {1}, true}}) {
    const Outcome outcome = max_pool(self.tensor, windows, out.tensor, indices.tensor, stream);
    ASSERT_TRUE(outcome.succeeded()) << outcome;
    EXPECT_EQ(out.read()[0], windows.kernel.size() == 1 ? 6.0F : 5.0F);
    EXPECT_EQ(indices.read()[0], windows.kernel.size() == 1 ? 4 : 2);
  }
}

TEST_F(MaxPoolForward, RefusesOutputsThatShareMemory) {
  // self, out and indices take turns in one buffer; every pair of them but itself collides.
  const Buffer buffer(4096);
  char* const base = static_cast<char*>(buffer.address());
  const TensorSpec input{{1, 1, 2, 2, 2}};
  const TensorSpec values{{1, 1, 1, 1, 1}};
  const TensorSpec positions{{1, 1, 1, 1, 1}, ACL_INT32};
  const auto outcome = [&](std::size_t self_at, std::size_t out_at, std::size_t indices_at) {
    const Tensor self(input, base + self_at);
    const Tensor out(values, base + out_at);
    const Tensor indices(positions, base + indices_at);
    return max_pool(self, {}, out, indices, stream);
  };
  EXPECT_TRUE(outcome(0, 64, 128).succeeded());
  for (const Outcome& refused : {outcome(0, 28, 128), outcome(0, 64, 28), outcome(0, 64, 64)}) {
    EXPECT_EQ(refused.phase1, 0);
    EXPECT_EQ(refused.phase2, kInvalid);
    EXPECT_NE(refused.message.find("overlaps"), std::string::npos) << refused;
  }
  EXPECT_NE(outcome(0, 64, 64).message.find("out overlaps indices"), std::string::npos);
}

TEST_F(MaxPoolForward, RefusesNullAddressesInPhase2) {
  const Values<float> self({1, 1, 2, 2, 2}, 1.0F);
  const Values<float> out({1, 1, 1, 1, 1}, 99.0F);
  const Values<std::int32_t> indices({1, 1, 1, 1, 1}, 99);
  const Tensor no_self(self.spec, nullptr);
  const Tensor no_out(out.spec, nullptr);
  const Tensor no_indices(indices.spec, nullptr);
  for (const Outcome& refused : {max_pool(no_self, {}, out.tensor, indices.tensor, stream),
                                 max_pool(self.tensor, {}, no_out, indices.tensor, stream),
                                 max_pool(self.tensor, {}, out.tensor, no_indices, stream)}) {
    EXPECT_EQ(refused.phase1, 0) << refused;
    EXPECT_EQ(refused.phase2, kNullPointer) << refused;
  }
  EXPECT_EQ(out.read()[0], 99.0F);
}

class MaxUnpoolForward : public DeviceTest {};

TEST_F(MaxUnpoolForward, ReportsAnIndexOutsideThePlaneOnceAndWritesNothingForIt) {
  const Values<float> self({1, 2, 1, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Values<std::int64_t> indices({1, 2, 1, 1, 3}, {3, -1, 0, 4, 1, -2});
  const Values<float> out({1, 2, 1, 2, 2}, 99.0F);
  const Outcome outcome = max_unpool(self.tensor, indices.tensor, {1, 2, 2}, out.tensor, stream);
  EXPECT_EQ(outcome.phase2, 0);
  EXPECT_EQ(outcome.synchronise, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  for (const char* part : {"aclnnMaxUnpool3d", "indices[3] is 4,", "0 to 3"})
    EXPECT_NE(outcome.message.find(part), std::string::npos) << part << " in " << outcome.message;
  EXPECT_EQ(out.read(), (std::vector<float>{3, 0, 0, 1, 0, 5, 0, 0}));
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);

  const Values<std::int64_t> good({1, 2, 1, 1, 3}, {3, 2, 1, 0, 1, 2});
  EXPECT_TRUE(max_unpool(self.tensor, good.tensor, {1, 2, 2}, out.tensor, stream).succeeded());
  EXPECT_EQ(out.read(), (std::vector<float>{0, 3, 2, 1, 4, 5, 6, 0}));
}

TEST_F(MaxUnpoolForward, LetsTheLastOfDuplicatesWin) {
  std::vector<std::int32_t> index(6000);
  std::vector<float> values(index.size());
  std::iota(values.begin(), values.end(), 1.0F);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int32_t>(i % 10);
  const Values<float> self({1, 1, 1, 60, 100}, values);
  const Values<std::int32_t> indices({1, 1, 1, 60, 100}, index);
  const Values<float> out({1, 1, 1, 60, 100}, 99.0F);
  ASSERT_TRUE(max_unpool(self.tensor, indices.tensor, {1, 60, 100}, out.tensor, stream).succeeded());
  std::vector<float> expected(6000);
  for (std::size_t i = 0; i < 10; ++i) expected[i] = static_cast<float>(5991 + i);
  EXPECT_EQ(out.read(), expected);
}

TEST_F(MaxUnpoolForward, RefusesAnOutputOverItsInputs) {
  const Buffer buffer(4096);
  char* const base = static_cast<char*>(buffer.address());
  const auto outcome = [&](std::size_t self_at, std::size_t indices_at) {
    const Tensor self({{1, 1, 1, 1, 2}}, base + self_at);
    const Tensor indices({{1, 1, 1, 1, 2}, ACL_INT64}, base + indices_at);
    const Tensor out({{1, 1, 1, 1, 4}}, base);
    return max_unpool(self, indices, {1, 1, 4}, out, stream);
  };
  EXPECT_TRUE(outcome(64, 128).succeeded());
  EXPECT_EQ(outcome(8, 128).phase2, kInvalid);
  EXPECT_EQ(outcome(64, 8).phase2, kInvalid);
}

class RoundTrips : public DeviceTest {};

// Unpooling puts each maximum back where it was; the gradient of that comes back only there.
TEST_F(RoundTrips, OfPoolingAndUnpooling) {
  const Dims dims{2, 3, 4, 6, 8};
  const Dims pooled{2, 3, 2, 3, 4};
  const std::vector<float> x = noise(Values<float>::elements(dims));
  std::vector<float> weight(x.size());
  std::iota(weight.begin(), weight.end(), 1.0F);
  const Values<float> self(dims, x);
  const Values<float> out(pooled, 99.0F);
  const Values<std::int32_t> indices(pooled, 99);
  const Values<float> unpooled(dims, 99.0F);
  ASSERT_TRUE(max_pool(self.tensor, {}, out.tensor, indices.tensor, stream).succeeded());
  ASSERT_TRUE(max_unpool(out.tensor, indices.tensor, {4, 6, 8}, unpooled.tensor, stream).succeeded());

  const Values<float> grad(dims, weight);
  const Values<float> grad_out(pooled, 99.0F);
  const Values<float> grad_input(dims, 99.0F);
  ASSERT_TRUE(max_unpool_backward(grad.tensor, out.tensor, indices.tensor, {4, 6, 8}, grad_out.tensor, stream)
                  .succeeded());
  ASSERT_TRUE(max_pool_backward(grad_out.tensor, self.tensor, indices.tensor, {}, grad_input.tensor, stream)
                  .succeeded());

  std::vector<float> expected(x.size());
  std::vector<float> expected_gradient(x.size());
  const std::vector<std::int32_t> index = indices.read();
  constexpr std::size_t kPlane = 192;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t at = i / 24 * kPlane + static_cast<std::size_t>(index[i]);
    expected[at] = x[at];
    expected_gradient[at] = weight[at];
  }
  EXPECT_EQ(unpooled.read(), expected);
  EXPECT_EQ(grad_input.read(), expected_gradient);
}

// The loss is a weighted sum of the output; moving one input moves it by what backward says.
TEST_F(RoundTrips, OfUpsamplingAgreeWithFiniteDifferences) {
  struct Sizes {
    Dims in, out;
    Scales scales;
  };
  for (const Sizes& sizes :
       {Sizes{{2, 3, 4}, {4, 6, 8}, {2, 2, 2}}, Sizes{{3, 2, 5}, {7, 5, 6}, {0, 0, 0}},
        Sizes{{4, 4, 4}, {3, 2, 4}, {0, 0, 0}}, Sizes{{2, 2, 2}, {5, 5, 5}, {2.5, 2.5, 2.5}}}) {
    const auto count = [](const Dims& size) { return static_cast<std::size_t>(size[0] * size[1] * size[2]); };
    reference::Random random(11);
    std::vector<double> x(count(sizes.in));
    std::vector<double> weight(count(sizes.out));
    for (double& value : x) value = random.unit();
    for (double& value : weight) value = random.unit() - 0.5;
    const auto loss = [&](const std::vector<double>& input) {
      const std::vector<double> y = upsample(sizes.in, input, sizes.out, sizes.scales, stream);
      return std::inner_product(y.begin(), y.end(), weight.begin(), 0.0);
    };
    const std::vector<double> gradient = upsample_backward(sizes.in, sizes.out, weight, sizes.scales, stream);
    constexpr double kStep = 0x1p-10;
    for (std::size_t i = 0; i < x.size(); ++i) {
      std::vector<double> higher = x;
      std::vector<double> lower = x;
      higher[i] += kStep;
      lower[i] -= kStep;
      EXPECT_NEAR((loss(higher) - loss(lower)) / (2 * kStep), gradient[i], 1e-10)
          << "cell " << i << " of " << sizes.in[0] << "x" << sizes.in[1] << "x" << sizes.in[2];
    }
  }
}

// Two cells, 82 outputs. In floats 41 · (2/82) is less than 1, so the forward copies output 41 from cell 0;
// 1 · (82/2) is 41, so the backward counts it for cell 1. Both are as CANN and PyTorch's CUDA kernels have
// it.
TEST_F(RoundTrips, OfUpsamplingDisagreeForSomeSizes) {
  const std::vector<float> y = upsample<float>({1, 1, 2}, {10, 20}, {1, 1, 82}, {}, stream);
  EXPECT_EQ(y[40], 10);
  EXPECT_EQ(y[41], 10);
  EXPECT_EQ(y[42], 20);
  std::vector<float> one(82);
  one[41] = 1;
  EXPECT_EQ(upsample_backward<float>({1, 1, 2}, {1, 1, 82}, one, {}, stream), (std::vector<float>{0, 1}));
}

}  // namespace
}  // namespace api_test
