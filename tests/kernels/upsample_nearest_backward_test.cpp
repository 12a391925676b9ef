#include <gtest/gtest.h>

#include <sstream>

#include "kernels/harness.h"
#include "ops/upsample_nearest_backward/cpu.h"
#include "reference/geometry.h"

namespace kernel_test {
namespace {

using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Triple;
using reference::Type;
using reference::UpsampleGeometry;
using reference::Values;

struct UpsampleCase {
  Type type = Type::kFloat;
  UpsampleGeometry geometry;
  LayoutKind grad_out = LayoutKind::kContiguous;
  LayoutKind grad_input = LayoutKind::kContiguous;
  Values values = Values::kOrdinary;
};

std::string check(const UpsampleCase& it, Random& random, const std::string& repeat) {
  const UpsampleGeometry& geometry = it.geometry;
  const Operand grad_out(random, it.type, geometry.out_sizes(), it.grad_out);
  Operand grad_input(random, it.type, geometry.in_sizes(), it.grad_input);
  fill_values(random, grad_out, it.values);
  const std::array<float, 3> scales = reference::upsample_scales(geometry.in, geometry.out, geometry.scales);

  std::ostringstream text;
  text.precision(9);
  text << "upsample_nearest_backward scales " << scales[0] << " " << scales[1] << " " << scales[2]
       << "\n  gradOut " << grad_out.describe() << "\n  gradInput " << grad_input.describe() << "\n";
  note_current_case(text.str() + repeat);
  const Operand expected = grad_input.clone();
  reference::upsample_nearest_backward(grad_out.view(), expected.view(), scales);

  const cairn::upsample_nearest_backward::Plan plan{.type = to_kernel(it.type),
                                                    .n = geometry.n,
                                                    .c = geometry.c,
                                                    .in = to_kernel(geometry.in),
                                                    .out = to_kernel(geometry.out),
                                                    .scale_d = scales[0],
                                                    .scale_h = scales[1],
                                                    .scale_w = scales[2],
                                                    .grad_out = to_kernel(grad_out),
                                                    .grad_input = to_kernel(grad_input)};
  const std::string wrong = check_everywhere(
      random, geometry.count() < 30000, {expected, std::nullopt, reference::NanRule::kAnyNanIsEqual},
      grad_input, {&grad_out},
      [&](cairn::Workers& workers) { return cairn::upsample_nearest_backward::run_on_cpu(plan, workers); });
  return wrong.empty() ? wrong : text.str() + wrong;
}

Type any_type(Random& random) {
  return random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
}

UpsampleCase random_case(Random& random, bool large) {
  UpsampleCase it;
  it.type = any_type(random);
  it.values = random_values(random);
  it.geometry = reference::random_upsample_geometry(random, large);
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
      UpsampleCase it{.type = any_type(random), .geometry = {.in = {1, 1, 1}, .out = {1, 1, 1}}};
      const auto axis = static_cast<std::size_t>(random.between(0, 2));
      it.geometry.in[axis] = in;
      it.geometry.out[axis] = out;
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
      const UpsampleCase it{
          .type = type,
          .geometry = {.n = 2, .c = GetParam().c, .in = GetParam().in, .out = GetParam().out},
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
