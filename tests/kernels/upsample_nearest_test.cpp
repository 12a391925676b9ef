#include <gtest/gtest.h>

#include <sstream>

#include "kernels/harness.h"
#include "ops/upsample_nearest/cpu.h"
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
  UpsampleGeometry geometry{};
  LayoutKind self = LayoutKind::kContiguous;
  LayoutKind values = LayoutKind::kContiguous;
};

std::string check(const UpsampleCase& it, Random& random, const std::string& repeat) {
  const UpsampleGeometry& geometry = it.geometry;
  const Operand self(random, it.type, geometry.in_sizes(), it.self);
  Operand values(random, it.type, geometry.out_sizes(), it.values);
  fill_values(random, self, Values::kAnyBits);
  const std::array<float, 3> steps = reference::upsample_steps(geometry.in, geometry.out, geometry.scales);

  std::ostringstream text;
  text.precision(9);
  text << "upsample_nearest steps " << steps[0] << " " << steps[1] << " " << steps[2] << "\n  self "
       << self.describe() << "\n  values " << values.describe() << "\n";
  note_current_case(text.str() + repeat);
  const Operand expected = values.clone();
  reference::upsample_nearest(self.view(), expected.view(), steps);

  const cairn::upsample_nearest::Plan plan{.type = to_kernel(it.type),
                                           .n = geometry.n,
                                           .c = geometry.c,
                                           .in = to_kernel(geometry.in),
                                           .out = to_kernel(geometry.out),
                                           .scale_d = steps[0],
                                           .scale_h = steps[1],
                                           .scale_w = steps[2],
                                           .self = to_kernel(self),
                                           .values = to_kernel(values)};
  const std::string wrong = check_everywhere(
      random, geometry.count() < 30000, {expected, std::nullopt, reference::NanRule::kExactBits}, values,
      {&self}, [&](cairn::Workers& workers) { return cairn::upsample_nearest::run_on_cpu(plan, workers); });
  return wrong.empty() ? wrong : text.str() + wrong;
}

Type any_type(Random& random) {
  return random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble, Type::kUint8});
}

UpsampleCase random_case(Random& random, bool large) {
  UpsampleCase it;
  it.type = any_type(random);
  it.geometry = reference::random_upsample_geometry(random, large);
  it.self = random_input_layout(random);
  it.values = random_output_layout(random);
  if (random.chance(40))
    it.self = it.values = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  return it;
}

TEST(UpsampleNearestKernel, CopiesAsTheOracleOverRandomGeometry) {
  for_each_case(16000, [](std::uint64_t seed) {
    Random random(seed);
    const UpsampleCase it = random_case(random, false);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

TEST(UpsampleNearestKernel, CopiesAsTheOracleOnLargePlanes) {
  for_each_case(120, [](std::uint64_t seed) {
    Random random(seed);
    const UpsampleCase it = random_case(random, true);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

// Rows of odd lengths, so that most begin in the middle of a cache line.
TEST(UpsampleNearestKernel, CopiesAsTheOraclePastTheCache) {
  for_each_case(16, [](std::uint64_t seed) {
    Random random(seed);
    UpsampleCase it{.type = any_type(random)};
    const std::int64_t elements = (std::int64_t{26} << 20) / size_of(it.type);
    it.geometry.c = random.pick<std::int64_t>({1, 3, 37, 200});
    it.geometry.out = {1, 0, random.pick<std::int64_t>({40, 83, 96, 5003})};
    it.geometry.out[1] = elements / (it.geometry.c * it.geometry.out[2]) + 2;
    it.geometry.in = {1, it.geometry.out[1] / random.between(1, 3),
                      it.geometry.out[2] / random.between(1, 3)};
    it.self = it.values = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    if (random.chance(30)) it.values = random_output_layout(random);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

// Along one axis, every pair of sizes: where the rule's rounding bites depends on both.
TEST(UpsampleNearestKernel, MapsEveryPairOfSmallSizesAsTheOracle) {
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

TEST_P(NetworkSizes, CopyAsTheOracleInEveryTypeAndLayout) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble, Type::kUint8}) {
    for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kChannelsLast}) {
      const UpsampleCase it{
          .type = type,
          .geometry = {.n = 2, .c = GetParam().c, .in = GetParam().in, .out = GetParam().out},
          .self = layout,
          .values = layout};
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
