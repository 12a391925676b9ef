#include <gtest/gtest.h>

#include <sstream>

#include "kernels/geometries.h"
#include "kernels/harness.h"
#include "ops/upsample_nearest_backward/cpu/candidates.h"
#include "ops/upsample_nearest_backward/plan.h"

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
  const std::string wrong =
      check_everywhere(random, geometry.count() < 30000, {expected, std::nullopt}, grad_input, {&grad_out},
                       [&](cairn::Workers& workers) {
                         return run_on_cpu(cairn::upsample_nearest_backward::kCpuCandidates, plan, workers);
                       });
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
  for_each_case(16000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(UpsampleNearestBackwardKernel, SumsAsTheOracleOnLargePlanes) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

TEST(UpsampleNearestBackwardKernel, MapsEveryPairOfSmallSizesAsTheOracle) {
  for_each_pair_of_sizes([](Random& random, const UpsampleGeometry& geometry, const std::string& repeat) {
    return check({.type = any_type(random), .geometry = geometry}, random, repeat);
  });
}

class NetworkSizes : public testing::TestWithParam<UpsampleNetwork> {};

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

INSTANTIATE_TEST_SUITE_P(Workloads, NetworkSizes, testing::ValuesIn(kUpsampleNetworks),
                         network_name<UpsampleNetwork>);

}  // namespace
}  // namespace kernel_test
