#include <gtest/gtest.h>

#include <sstream>

#include "kernels/geometries.h"
#include "kernels/harness.h"
#include "ops/max_pool_backward/cpu/candidates.h"
#include "ops/max_pool_backward/plan.h"
#include "reference/indices.h"

namespace kernel_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::PoolGeometry;
using reference::Random;
using reference::Type;
using reference::Values;

struct PoolCase {
  Type type = Type::kFloat;
  Type index_type = Type::kInt32;
  PoolGeometry geometry;
  bool channels_last = false;
  LayoutKind grad_output = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  LayoutKind grad_input = LayoutKind::kContiguous;
  Indices indices = Indices::kArgmax;
  Values values = Values::kOrdinary;
};

std::string describe(const PoolCase& it, const Operand& grad_output, const Operand& indices,
                     const Operand& grad_input) {
  std::ostringstream text;
  text << "max_pool_backward " << describe(it.geometry.window) << " indices " << name_of(it.indices)
       << (it.channels_last ? " channels last" : "") << "\n  gradOutput " << grad_output.describe()
       << "\n  indices " << indices.describe() << "\n  gradInput " << grad_input.describe() << "\n";
  return text.str();
}

std::string check(const PoolCase& it, Random& random, const std::string& repeat) {
  const PoolGeometry& geometry = it.geometry;
  const Operand grad_output(random, it.type, geometry.out_sizes(), it.grad_output);
  const Operand indices(random, it.index_type, geometry.out_sizes(), it.index_layout);
  Operand grad_input(random, it.type, geometry.in_sizes(), it.grad_input);
  fill_values(random, grad_output, it.values);
  fill_indices(random, indices, it.indices, geometry.in, &geometry.window);

  const std::string description = describe(it, grad_output, indices, grad_input);
  note_current_case(description + repeat);
  const Operand expected = grad_input.clone();
  const auto fault =
      reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), it.channels_last);

  const cairn::max_pool_backward::Plan plan{.type = to_kernel(it.type),
                                            .index_type = to_kernel(it.index_type),
                                            .n = geometry.n,
                                            .c = geometry.c,
                                            .in = to_kernel(geometry.in),
                                            .out = to_kernel(geometry.out),
                                            .kernel = to_kernel(geometry.window.kernel),
                                            .stride = to_kernel(geometry.window.stride),
                                            .padding = to_kernel(geometry.window.padding),
                                            .dilation = to_kernel(geometry.window.dilation),
                                            .channels_last = it.channels_last,
                                            .grad_output = to_kernel(grad_output),
                                            .indices = to_kernel(indices),
                                            .grad_input = to_kernel(grad_input)};
  const std::string wrong =
      check_everywhere(random, geometry.in_count() + geometry.out_count() < 30000, {expected, fault},
                       grad_input, {&grad_output, &indices}, [&](cairn::Workers& workers) {
                         return run_on_cpu(cairn::max_pool_backward::kCpuCandidates, plan, workers);
                       });
  return wrong.empty() ? wrong : description + wrong;
}

PoolCase random_case(Random& random, bool large) {
  PoolCase it;
  it.type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  it.index_type = random.pick({Type::kInt32, Type::kInt64});
  it.geometry = reference::random_pool_geometry(random, random.chance(50), large);
  // No forward has an empty output of a full input, yet a kernel that gets one still writes every cell.
  if (random.chance(1)) it.geometry.out[2] = 0;
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
  for_each_case(16000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(MaxPoolBackwardKernel, SumsAsTheOracleOnPlanesLargerThanAnyTile) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

class NetworkWindows : public testing::TestWithParam<PoolNetwork> {};

TEST_P(NetworkWindows, SumAsTheOracleInEveryTypeAndLayout) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
    for (const Type index_type : {Type::kInt32, Type::kInt64}) {
      for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kChannelsLast}) {
        for (const Indices indices :
             {Indices::kArgmax, Indices::kArgmaxWithStrays, Indices::kArgmaxWithFaults}) {
          PoolCase it{
              .type = type,
              .index_type = index_type,
              .geometry = {.n = 2, .c = GetParam().c, .in = GetParam().in, .window = GetParam().window},
              .channels_last = layout == LayoutKind::kChannelsLast,
              .grad_output = layout,
              .index_layout = layout,
              .grad_input = layout,
              .indices = indices};
          ASSERT_TRUE(it.geometry.derive_out());
          Random random(reference::first_seed());
          EXPECT_EQ(check(it, random, GetParam().name), "");
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Workloads, NetworkWindows, testing::ValuesIn(kPoolNetworks),
                         network_name<PoolNetwork>);

}  // namespace
}  // namespace kernel_test
