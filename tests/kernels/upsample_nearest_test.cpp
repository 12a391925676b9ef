#include <gtest/gtest.h>

#include <sstream>

#include "kernels/geometries.h"
#include "kernels/harness.h"
#include "ops/upsample_nearest/cpu/candidates.h"
#include "ops/upsample_nearest/plan.h"

namespace kernel_test {
namespace {

using reference::LayoutKind;
using reference::Operand;
using reference::Random;
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
  const std::string wrong =
      check_everywhere(random, geometry.count() < 30000, {expected, std::nullopt}, values, {&self},
                       [&](cairn::Workers& workers) {
                         return run_on_cpu(cairn::upsample_nearest::kCpuCandidates, plan, workers);
                       });
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
  for_each_case(16000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(UpsampleNearestKernel, CopiesAsTheOracleOnLargePlanes) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

// Rows of odd lengths, so that most begin in the middle of a cache line.
TEST(UpsampleNearestKernel, CopiesAsTheOraclePastTheCache) {
  for_each_case(16, [](Random& random, const std::string& repeat) {
    UpsampleCase it{.type = any_type(random)};
    const std::int64_t elements = (std::int64_t{26} << 20) / size_of(it.type);
    it.geometry.c = random.pick<std::int64_t>({1, 3, 37, 200});
    it.geometry.out = {1, 0, random.pick<std::int64_t>({40, 83, 96, 5003})};
    it.geometry.out[1] = elements / (it.geometry.c * it.geometry.out[2]) + 2;
    it.geometry.in = {1, it.geometry.out[1] / random.between(1, 3),
                      it.geometry.out[2] / random.between(1, 3)};
    it.self = it.values = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    if (random.chance(30)) it.values = random_output_layout(random);
    return check(it, random, repeat);
  });
}

TEST(UpsampleNearestKernel, MapsEveryPairOfSmallSizesAsTheOracle) {
  for_each_pair_of_sizes([](Random& random, const UpsampleGeometry& geometry, const std::string& repeat) {
    return check({.type = any_type(random), .geometry = geometry}, random, repeat);
  });
}

class NetworkSizes : public testing::TestWithParam<UpsampleNetwork> {};

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

INSTANTIATE_TEST_SUITE_P(Workloads, NetworkSizes, testing::ValuesIn(kUpsampleNetworks),
                         network_name<UpsampleNetwork>);

}  // namespace
}  // namespace kernel_test
