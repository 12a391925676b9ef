#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "kernels/harness.h"
#include "ops/upsample_nearest_backward/cpu.h"

namespace kernel_test {
namespace {

using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;
using reference::Values;

struct UpsampleCase {
  Type type = Type::kFloat;
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  std::array<double, 3> scales{};
  LayoutKind grad_out = LayoutKind::kContiguous;
  LayoutKind grad_input = LayoutKind::kContiguous;
  Values values = Values::kOrdinary;
};

std::int64_t count(const Triple& size) { return size[0] * size[1] * size[2]; }

std::string check(const UpsampleCase& it, Random& random, const std::string& repeat) {
  const Operand grad_out(random, it.type, Sizes{it.n, it.c, it.out[0], it.out[1], it.out[2]}, it.grad_out);
  Operand grad_input(random, it.type, Sizes{it.n, it.c, it.in[0], it.in[1], it.in[2]}, it.grad_input);
  fill_values(random, grad_out, it.values);
  const std::array<float, 3> scales = reference::upsample_scales(it.in, it.out, it.scales);

  std::ostringstream text;
  text.precision(9);
  text << "upsample_nearest_backward scales " << scales[0] << " " << scales[1] << " " << scales[2]
       << "\n  gradOut " << grad_out.describe() << "\n  gradInput " << grad_input.describe() << "\n";
  note_current_case(text.str() + repeat);
  const Operand expected = grad_input.clone();
  reference::upsample_nearest_backward(grad_out.view(), expected.view(), scales);

  const cairn::upsample_nearest_backward::Plan plan{.type = to_kernel(it.type),
                                                    .n = it.n,
                                                    .c = it.c,
                                                    .in = to_kernel(it.in),
                                                    .out = to_kernel(it.out),
                                                    .scale_d = scales[0],
                                                    .scale_h = scales[1],
                                                    .scale_w = scales[2],
                                                    .grad_out = to_kernel(grad_out),
                                                    .grad_input = to_kernel(grad_input)};
  const std::string wrong = check_everywhere(
      random, it.n * it.c * (count(it.in) + count(it.out)) < 30000,
      {expected, std::nullopt, reference::NanRule::kAnyNanIsEqual}, grad_input, {&grad_out},
      [&](cairn::Workers& workers) { return cairn::upsample_nearest_backward::run_on_cpu(plan, workers); });
  return wrong.empty() ? wrong : text.str() + wrong;
}

Type any_type(Random& random) {
  return random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
}

std::int64_t other_size(Random& random, std::int64_t in, std::int64_t longest) {
  switch (random.between(0, 5)) {
    case 0:
      return in;
    case 1:
    case 2:
      return 2 * in;
    case 3:
      return random.between(1, 4) * in;
    default:
      return random.between(1, longest);
  }
}

double any_scale(Random& random, std::int64_t in, std::int64_t out) {
  const double fitting = static_cast<double>(out) / static_cast<double>(in);
  switch (random.between(0, 5)) {
    case 0:
      return fitting * (0.5 + random.unit());
    case 1:
      return random.pick({0.3, 0.7, 1.0, 1.2, 1.5, 2.0, 2.3, 3.0, 50.5});
    case 2:
      return random.pick({1e-30, 1e-45, 1e30, 3.4e38, 0x1p-20, 1.0 + 1e-7});
    default:
      return fitting;
  }
}

UpsampleCase random_case(Random& random, bool large) {
  UpsampleCase it;
  it.type = any_type(random);
  it.values = random_values(random);
  const std::int64_t limit = large ? 500000 : 20000;
  do {
    it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
    it.c = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3, 16, 17, 64});
    const std::int64_t longest = large ? 90 : random.pick<std::int64_t>({3, 8, 20});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      it.in[axis] = random.between(large ? 20 : 1, longest);
      it.out[axis] = other_size(random, it.in[axis], longest);
    }
    if (random.chance(15)) it.out[2] = random.between(60, 300);
    if (random.chance(10)) it.in[2] = random.between(60, 300);
  } while (it.n * it.c * count(it.in) > limit || it.n * it.c * count(it.out) > limit);
  if (random.chance(40))
    for (std::size_t axis = 0; axis < 3; ++axis)
      it.scales[axis] = any_scale(random, it.in[axis], it.out[axis]);
  it.grad_out = random_input_layout(random);
  it.grad_input = random_output_layout(random);
  if (random.chance(40))
    it.grad_out = it.grad_input = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  return it;
}

TEST(UpsampleNearestBackwardKernel, SumsAsTheOracleOverRandomGeometry) {
  for_each_case(16000, [](std::uint64_t seed) {
    Random random(seed);
    const UpsampleCase it = random_case(random, false);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

TEST(UpsampleNearestBackwardKernel, SumsAsTheOracleOnLargePlanes) {
  for_each_case(120, [](std::uint64_t seed) {
    Random random(seed);
    const UpsampleCase it = random_case(random, true);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

// Along one axis, every pair of sizes: where the rule's rounding bites depends on both.
TEST(UpsampleNearestBackwardKernel, MapsEveryPairOfSmallSizesAsTheOracle) {
  std::string wrong;
  for (std::int64_t in = 1; in <= 40 && wrong.empty(); ++in) {
    for (std::int64_t out = 1; out <= 90 && wrong.empty(); out += 1 + in % 3) {
      Random random(static_cast<std::uint64_t>(in * 1000 + out));
      UpsampleCase it{.type = any_type(random), .in = {1, 1, 1}, .out = {1, 1, 1}};
      const auto axis = static_cast<std::size_t>(random.between(0, 2));
      it.in[axis] = in;
      it.out[axis] = out;
      wrong = check(it, random, "sizes " + std::to_string(in) + " and " + std::to_string(out));
    }
  }
  EXPECT_EQ(wrong, "");
}

struct Network {
  const char* name;
  std::int64_t c;
  Triple in;
  Triple out;
};

class NetworkSizes : public testing::TestWithParam<Network> {};

TEST_P(NetworkSizes, SumAsTheOracleInEveryTypeAndLayout) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble}) {
    for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kChannelsLast}) {
      const UpsampleCase it{.type = type,
                            .n = 2,
                            .c = GetParam().c,
                            .in = GetParam().in,
                            .out = GetParam().out,
                            .grad_out = layout,
                            .grad_input = layout};
      Random random(reference::first_seed());
      EXPECT_EQ(check(it, random, GetParam().name), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, NetworkSizes,
                         testing::Values(Network{"unet3d", 16, {8, 8, 16}, {16, 16, 32}},
                                         Network{"vae", 8, {8, 16, 32}, {8, 32, 64}},
                                         Network{"odd", 3, {10, 12, 14}, {26, 26, 26}},
                                         Network{"shrinking", 3, {20, 30, 40}, {9, 11, 13}}),
                         [](const testing::TestParamInfo<Network>& it) { return it.param.name; });

}  // namespace
}  // namespace kernel_test
