#include "kernels/nan_sums.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/harness.h"
#include "ops/max_pool_backward/cpu/candidates.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/upsample_nearest_backward/cpu/candidates.h"
#include "ops/upsample_nearest_backward/plan.h"
#include "reference/indices.h"

namespace kernel_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Type;
using reference::Values;

constexpr int kThreads[] = {1, 2, 7};

struct Gradients {
  Type type;
  LayoutKind layout;
  Values values;
};

std::string describe(const Gradients& it) {
  return std::string(name_of(it.type)) + " " + name_of(it.layout) + " values " +
         std::to_string(static_cast<int>(it.values));
}

// Every instruction set with every number of threads; `run(workers)` writes `actual`.
template <typename Run>
std::string check_all(const Operand& expected, Operand& actual, const Run& run) {
  const std::vector<unsigned char> before = actual.snapshot();
  for (const std::int64_t target : targets()) {
    for (const int threads : kThreads) {
      actual.restore(before);
      const ForcedTarget forced(target);
      run(*make_workers(threads));
      std::string wrong = other_nans(actual.view());
      wrong += difference(expected, actual);
      if (wrong.empty()) continue;
      return name_of_target(target) + ", " + std::to_string(threads) + " threads: " + wrong;
    }
  }
  return {};
}

cairn::max_pool_backward::Plan pool_plan(const reference::PoolGeometry& geometry, const Operand& grad_output,
                                         const Operand& indices, const Operand& grad_input,
                                         bool channels_last) {
  return {.type = to_kernel(grad_input.view().type),
          .index_type = to_kernel(indices.view().type),
          .n = geometry.n,
          .c = geometry.c,
          .in = to_kernel(geometry.in),
          .out = to_kernel(geometry.out),
          .kernel = to_kernel(geometry.window.kernel),
          .stride = to_kernel(geometry.window.stride),
          .padding = to_kernel(geometry.window.padding),
          .dilation = to_kernel(geometry.window.dilation),
          .channels_last = channels_last,
          .grad_output = to_kernel(grad_output),
          .indices = to_kernel(indices),
          .grad_input = to_kernel(grad_input)};
}

std::string check_pool(const Gradients& it, const PoolNetwork& network, std::int64_t n, Indices kind) {
  reference::PoolGeometry geometry{.n = n, .c = network.c, .in = network.in, .window = network.window};
  if (!geometry.derive_out()) return "no windows";
  Random random(reference::first_seed());
  const Operand grad_output(random, it.type, geometry.out_sizes(), it.layout);
  const Operand indices(random, Type::kInt32, geometry.out_sizes(), it.layout);
  Operand grad_input(random, it.type, geometry.in_sizes(), it.layout);
  fill_values(random, grad_output, it.values);
  fill_indices(random, indices, kind, geometry.in, &geometry.window);
  const Operand expected = grad_input.clone();
  const bool channels_last = it.layout == LayoutKind::kChannelsLast;
  reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), channels_last);
  const auto plan = pool_plan(geometry, grad_output, indices, grad_input, channels_last);
  return check_all(expected, grad_input, [&](cairn::Workers& workers) {
    EXPECT_FALSE(run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers).has_value());
  });
}

bool infinities_meet(const PoolNetwork& network) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (network.window.kernel[axis] > network.window.stride[axis]) return true;
  return false;
}

// Every gradient a NaN of its own, windows that overlap, channels last: if sums kept a NaN that went into
// them, the number of threads could decide which.
TEST(NanSums, OfOverlappingWindowsAreTheSameOnAnyNumberOfThreads) {
  constexpr std::int64_t kHeight = 36;
  constexpr std::int64_t kWidth = 64;
  reference::PoolGeometry geometry{
      .c = 19, .in = {1, kHeight, kWidth}, .window = {{1, 4, 4}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}};
  ASSERT_TRUE(geometry.derive_out());
  Random random(1);
  const Operand grad_output(random, Type::kFloat, geometry.out_sizes(), LayoutKind::kChannelsLast);
  const Operand indices(random, Type::kInt32, geometry.out_sizes(), LayoutKind::kChannelsLast);
  Operand grad_input(random, Type::kFloat, geometry.in_sizes(), LayoutKind::kChannelsLast);
  const Operand expected = grad_input.clone();
  for (std::int64_t c = 0; c < geometry.c; ++c) {
    for (std::int64_t cell = 0; cell < kHeight * kWidth; ++cell)
      store_float(expected.view().at(0, c, 0, cell / kWidth, cell % kWidth), Type::kFloat, 0.0F);
    for (std::int64_t y = 0; y < geometry.out[1]; ++y) {
      for (std::int64_t x = 0; x < geometry.out[2]; ++x) {
        const std::int64_t h = std::clamp<std::int64_t>(y * 2 - 1 + random.between(0, 3), 0, kHeight - 1);
        const std::int64_t w = std::clamp<std::int64_t>(x * 2 - 1 + random.between(0, 3), 0, kWidth - 1);
        store_integer(indices.view().at(0, c, 0, y, x), Type::kInt32, h * kWidth + w);
        const auto gradient = static_cast<std::uint32_t>(0x7fc00001 + random.between(0, 999));
        const std::uint32_t sum = 0x7fc00000;
        std::memcpy(grad_output.view().at(0, c, 0, y, x), &gradient, sizeof(gradient));
        std::memcpy(expected.view().at(0, c, 0, h, w), &sum, sizeof(sum));
      }
    }
  }
  const auto plan = pool_plan(geometry, grad_output, indices, grad_input, true);
  EXPECT_EQ(check_all(expected, grad_input,
                      [&](cairn::Workers& workers) {
                        EXPECT_FALSE(
                            run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers).has_value());
                      }),
            "");
}

class NanSumsOfPools : public testing::TestWithParam<PoolNetwork> {};

TEST_P(NanSumsOfPools, AreCanonicalInEveryTypeAndLayoutOnAnyNumberOfThreads) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
    for (const LayoutKind layout : kPlainLayouts) {
      for (const Values values : kWaysToNan) {
        // Infinities that never meet make no NaN.
        if (values == Values::kOpposites && !infinities_meet(GetParam())) continue;
        const Gradients it{type, layout, values};
        EXPECT_EQ(check_pool(it, GetParam(), 2, Indices::kArgmax), "") << describe(it);
        EXPECT_EQ(check_pool(it, GetParam(), 1, Indices::kAnywhere), "") << describe(it) << " anywhere";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Windows, NanSumsOfPools, testing::ValuesIn(kPoolsOfNans), network_name<PoolNetwork>);

// Results too large for the cache are written past it, by code of its own.
TEST(NanSums, OfLargePoolsAreCanonical) {
  constexpr PoolNetwork kScattered{"same3", 4, {1, 900, 1000}, {{1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}}};
  constexpr PoolNetwork kChannels{"halved", 64, {1, 300, 400}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}};
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
    for (const auto& [network, layout] :
         {std::pair{kScattered, LayoutKind::kContiguous}, std::pair{kChannels, LayoutKind::kChannelsLast}}) {
      reference::PoolGeometry geometry{.c = network.c, .in = network.in, .window = network.window};
      ASSERT_TRUE(geometry.derive_out());
      Random random(reference::first_seed());
      const Operand grad_output(random, type, geometry.out_sizes(), layout);
      const Operand indices(random, Type::kInt32, geometry.out_sizes(), layout);
      Operand grad_input(random, type, geometry.in_sizes(), layout);
      fill_values(random, grad_output, Values::kNans);
      fill_indices(random, indices, Indices::kArgmax, geometry.in, &geometry.window);
      const Operand expected = grad_input.clone();
      reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), false);
      const auto plan = pool_plan(geometry, grad_output, indices, grad_input, false);
      EXPECT_FALSE(run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, *make_workers(2)).has_value());
      EXPECT_EQ(other_nans(grad_input.view()), "") << network.name << " " << name_of(type);
      EXPECT_EQ(difference(expected, grad_input), "") << network.name << " " << name_of(type);
    }
  }
}

class NanSumsOfUpsamples : public testing::TestWithParam<UpsampleNetwork> {};

TEST_P(NanSumsOfUpsamples, AreCanonicalInEveryTypeAndLayoutOnAnyNumberOfThreads) {
  const reference::UpsampleGeometry geometry{
      .n = 2, .c = GetParam().c, .in = GetParam().in, .out = GetParam().out};
  const std::array<float, 3> scales = reference::upsample_scales(geometry.in, geometry.out, {});
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble}) {
    for (const LayoutKind layout : kPlainLayouts) {
      for (const Values values : kWaysToNan) {
        // Infinities meet only where a cell has several positions.
        if (values == Values::kOpposites && !(scales[2] > 1.0F)) continue;
        const Gradients it{type, layout, values};
        Random random(reference::first_seed());
        const Operand grad_out(random, type, geometry.out_sizes(), layout);
        Operand grad_input(random, type, geometry.in_sizes(), layout);
        fill_values(random, grad_out, values);
        const Operand expected = grad_input.clone();
        reference::upsample_nearest_backward(grad_out.view(), expected.view(), scales);
        const cairn::upsample_nearest_backward::Plan plan{.type = to_kernel(type),
                                                          .n = geometry.n,
                                                          .c = geometry.c,
                                                          .in = to_kernel(geometry.in),
                                                          .out = to_kernel(geometry.out),
                                                          .scale_d = scales[0],
                                                          .scale_h = scales[1],
                                                          .scale_w = scales[2],
                                                          .grad_out = to_kernel(grad_out),
                                                          .grad_input = to_kernel(grad_input)};
        EXPECT_EQ(check_all(expected, grad_input,
                            [&](cairn::Workers& workers) {
                              run_on_cpu(cairn::upsample_nearest_backward::kCpuCandidates, plan, workers);
                            }),
                  "")
            << describe(it);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, NanSumsOfUpsamples, testing::ValuesIn(kUpsamplesOfNans),
                         network_name<UpsampleNetwork>);

}  // namespace
}  // namespace kernel_test
