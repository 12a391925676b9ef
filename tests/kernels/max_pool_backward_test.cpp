#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "kernels/harness.h"
#include "kernels/indices.h"
#include "ops/max_pool_backward/cpu.h"

namespace kernel_test {
namespace {

using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;
using reference::Values;

struct PoolCase {
  Type type = Type::kFloat;
  Type index_type = Type::kInt32;
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  Window window;
  bool channels_last = false;
  LayoutKind grad_output = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  LayoutKind grad_input = LayoutKind::kContiguous;
  Indices indices = Indices::kArgmax;
  Values values = Values::kOrdinary;

  std::int64_t in_count() const { return n * c * in[0] * in[1] * in[2]; }
  std::int64_t out_count() const { return n * c * out[0] * out[1] * out[2]; }
};

std::string describe(const PoolCase& it, const Operand& grad_output, const Operand& indices,
                     const Operand& grad_input) {
  std::ostringstream text;
  text << "max_pool_backward " << describe(it.window) << " indices " << name_of(it.indices)
       << (it.channels_last ? " channels last" : "") << "\n  gradOutput " << grad_output.describe()
       << "\n  indices " << indices.describe() << "\n  gradInput " << grad_input.describe() << "\n";
  return text.str();
}

std::string check(const PoolCase& it, Random& random, const std::string& repeat) {
  const Sizes in{it.n, it.c, it.in[0], it.in[1], it.in[2]};
  const Sizes out{it.n, it.c, it.out[0], it.out[1], it.out[2]};
  const Operand grad_output(random, it.type, out, it.grad_output);
  const Operand indices(random, it.index_type, out, it.index_layout);
  Operand grad_input(random, it.type, in, it.grad_input);
  fill_values(random, grad_output, it.values);
  fill_indices(random, indices, it.indices, it.in, &it.window);

  const std::string description = describe(it, grad_output, indices, grad_input);
  note_current_case(description + repeat);
  const Operand expected = grad_input.clone();
  const auto fault =
      reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), it.channels_last);

  const cairn::max_pool_backward::Plan plan{.type = to_kernel(it.type),
                                            .index_type = to_kernel(it.index_type),
                                            .n = it.n,
                                            .c = it.c,
                                            .in = to_kernel(it.in),
                                            .out = to_kernel(it.out),
                                            .kernel = to_kernel(it.window.kernel),
                                            .stride = to_kernel(it.window.stride),
                                            .padding = to_kernel(it.window.padding),
                                            .dilation = to_kernel(it.window.dilation),
                                            .channels_last = it.channels_last,
                                            .grad_output = to_kernel(grad_output),
                                            .indices = to_kernel(indices),
                                            .grad_input = to_kernel(grad_input)};
  const std::string wrong = check_everywhere(
      random, it.in_count() + it.out_count() < 30000, {expected, fault, reference::NanRule::kAnyNanIsEqual},
      grad_input, {&grad_output, &indices},
      [&](cairn::Workers& workers) { return cairn::max_pool_backward::run_on_cpu(plan, workers); });
  return wrong.empty() ? wrong : description + wrong;
}

// The forward's output on every axis; false when it has none.
bool derive_out(PoolCase& it, bool ceil_mode) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.out[axis] = reference::pooled_size(it.in[axis], it.window.kernel[axis], it.window.stride[axis],
                                          it.window.padding[axis], it.window.dilation[axis], ceil_mode);
    if (it.in[axis] == 0) it.out[axis] = std::max<std::int64_t>(it.out[axis], 0);
    if (it.in[axis] > 0 && it.out[axis] <= 0) return false;
  }
  return true;
}

void choose_window(PoolCase& it, Random& random, bool flat) {
  const bool cube = random.chance(40);
  const bool dilated = random.chance(25);
  const std::int64_t widest = random.chance(10) ? 12 : 4;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (flat && axis == 0) {
      it.window.kernel[0] = it.window.stride[0] = it.window.dilation[0] = 1;
      it.window.padding[0] = 0;
      continue;
    }
    const std::size_t first = flat ? 1 : 0;
    if (cube && axis > first) {
      it.window.kernel[axis] = it.window.kernel[first];
      it.window.stride[axis] = it.window.stride[first];
      it.window.padding[axis] = it.window.padding[first];
      it.window.dilation[axis] = it.window.dilation[first];
      continue;
    }
    it.window.kernel[axis] = random.between(1, widest);
    it.window.stride[axis] = random.chance(30) ? it.window.kernel[axis] : random.between(1, widest + 1);
    it.window.padding[axis] = random.chance(50) ? 0 : random.between(0, it.window.kernel[axis] / 2);
    it.window.dilation[axis] = dilated ? random.between(1, 3) : 1;
  }
}

void choose_sizes(PoolCase& it, Random& random, bool flat, bool large) {
  const std::int64_t longest = random.pick<std::int64_t>({3, 6, 12, 20});
  for (std::size_t axis = 0; axis < 3; ++axis) it.in[axis] = random.between(1, longest);
  it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
  it.c = random.chance(2) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3, 3, 5, 16, 17, 64});
  if (random.chance(15)) it.in[2] = random.between(60, 300);
  if (flat) it.in[0] = 1;
  if (large) {
    it.n = 1;
    it.c = random.pick<std::int64_t>({1, 3, 17});
    it.in = flat ? Triple{1, random.between(200, 400), random.between(200, 400)}
                 : Triple{random.between(8, 30), random.between(30, 70), random.between(30, 90)};
  }
  if (random.chance(2)) it.in[static_cast<std::size_t>(random.between(flat ? 1 : 0, 2))] = 0;
}

PoolCase random_case(Random& random, bool large) {
  PoolCase it;
  it.type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  it.index_type = random.pick({Type::kInt32, Type::kInt64});
  const std::int64_t limit = large ? 600000 : 20000;
  do {
    const bool flat = random.chance(50);
    choose_window(it, random, flat);
    choose_sizes(it, random, flat, large);
  } while (!derive_out(it, random.chance(40)) || it.in_count() > limit || it.out_count() > limit);
  // No forward has an empty output of a full input, yet a kernel that gets one still writes every cell.
  if (random.chance(1)) it.out[2] = 0;
  it.channels_last = random.chance(40);
  it.grad_output = random_input_layout(random);
  it.index_layout = random.chance(60) ? it.grad_output : random_input_layout(random);
  it.grad_input = random_output_layout(random);
  if (random.chance(40)) {
    const LayoutKind plain = random.chance(60) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    it.grad_output = it.index_layout = it.grad_input = plain;
    it.channels_last = plain == LayoutKind::kChannelsLast;
  }
  it.indices = random_indices(random);
  it.values = random_values(random);
  return it;
}

TEST(MaxPoolBackwardKernel, SumsAsTheOracleOverRandomGeometry) {
  for_each_case(16000, [](std::uint64_t seed) {
    Random random(seed);
    const PoolCase it = random_case(random, false);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

TEST(MaxPoolBackwardKernel, SumsAsTheOracleOnPlanesLargerThanAnyTile) {
  for_each_case(120, [](std::uint64_t seed) {
    Random random(seed);
    const PoolCase it = random_case(random, true);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

struct Network {
  const char* name;
  std::int64_t c;
  Triple in;
  Window window;
};

class NetworkWindows : public testing::TestWithParam<Network> {};

TEST_P(NetworkWindows, SumAsTheOracleInEveryTypeAndLayout) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
    for (const Type index_type : {Type::kInt32, Type::kInt64}) {
      for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kChannelsLast}) {
        for (const Indices indices :
             {Indices::kArgmax, Indices::kArgmaxWithStrays, Indices::kArgmaxWithFaults}) {
          PoolCase it{.type = type,
                      .index_type = index_type,
                      .n = 2,
                      .c = GetParam().c,
                      .in = GetParam().in,
                      .window = GetParam().window,
                      .channels_last = layout == LayoutKind::kChannelsLast,
                      .grad_output = layout,
                      .index_layout = layout,
                      .grad_input = layout,
                      .indices = indices};
          ASSERT_TRUE(derive_out(it, false));
          Random random(reference::first_seed());
          EXPECT_EQ(check(it, random, GetParam().name), "");
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Workloads, NetworkWindows,
    testing::Values(Network{"unet3d", 2, {16, 16, 32}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
                    Network{"video", 2, {4, 28, 56}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
                    Network{"i3d", 3, {8, 14, 28}, {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
                    Network{"resnet3d", 2, {8, 28, 56}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
                    Network{"resnet", 16, {1, 28, 112}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
                    Network{"vgg", 3, {1, 32, 224}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
                    Network{"sppf", 17, {1, 20, 40}, {{1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}}}),
    [](const testing::TestParamInfo<Network>& it) { return it.param.name; });

}  // namespace
}  // namespace kernel_test
