#include <gtest/gtest.h>

#include <sstream>

#include "kernels/geometries.h"
#include "kernels/harness.h"
#include "ops/max_pool/cpu/candidates.h"
#include "ops/max_pool/plan.h"
#include "reference/indices.h"

namespace kernel_test {
namespace {

using reference::LayoutKind;
using reference::Operand;
using reference::PoolGeometry;
using reference::Random;
using reference::Type;
using reference::Values;
using reference::Window;

struct PoolCase {
  Type type = Type::kFloat;
  Type index_type = Type::kInt32;
  PoolGeometry geometry{};
  LayoutKind self = LayoutKind::kContiguous;
  LayoutKind values_layout = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  Values values = Values::kOrdinary;
};

std::string check(const PoolCase& it, Random& random, const std::string& repeat) {
  const PoolGeometry& geometry = it.geometry;
  const Operand self(random, it.type, geometry.in_sizes(), it.self);
  Operand values(random, it.type, geometry.out_sizes(), it.values_layout);
  Operand indices(random, it.index_type, geometry.out_sizes(), it.index_layout);
  fill_values(random, self, it.values);

  std::ostringstream text;
  text << "max_pool " << describe(geometry.window) << "\n  self " << self.describe() << "\n  values "
       << values.describe() << "\n  indices " << indices.describe() << "\n";
  note_current_case(text.str() + repeat);
  const Operand expected_values = values.clone();
  const Operand expected_indices = indices.clone();
  reference::max_pool(self.view(), geometry.window, expected_values.view(), expected_indices.view());

  const cairn::max_pool::Plan plan{.type = to_kernel(it.type),
                                   .index_type = to_kernel(it.index_type),
                                   .n = geometry.n,
                                   .c = geometry.c,
                                   .in = to_kernel(geometry.in),
                                   .out = to_kernel(geometry.out),
                                   .kernel = to_kernel(geometry.window.kernel),
                                   .stride = to_kernel(geometry.window.stride),
                                   .padding = to_kernel(geometry.window.padding),
                                   .dilation = to_kernel(geometry.window.dilation),
                                   .self = to_kernel(self),
                                   .values = to_kernel(values),
                                   .indices = to_kernel(indices)};
  const std::string wrong = check_everywhere(
      random, geometry.in_count() + geometry.out_count() < 30000,
      {{expected_values, values}, {expected_indices, indices}}, {&self},
      [&](cairn::Workers& workers) { return run_on_cpu(cairn::max_pool::kCpuCandidates, plan, workers); });
  return wrong.empty() ? wrong : text.str() + wrong;
}

PoolCase random_case(Random& random, bool large) {
  PoolCase it;
  it.type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  it.index_type = random.pick({Type::kInt32, Type::kInt64});
  it.geometry = reference::random_pool_geometry(random, random.chance(50), large);
  it.self = random_input_layout(random);
  it.values_layout = random_output_layout(random);
  it.index_layout = random.chance(60) ? it.values_layout : random_output_layout(random);
  if (random.chance(40)) {
    it.self = random.chance(60) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    it.values_layout = it.index_layout = it.self;
  }
  it.values = random_values_to_compare(random);
  return it;
}

TEST(MaxPoolKernel, FindsWhatTheOracleFindsOverRandomGeometry) {
  for_each_case(16000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(MaxPoolKernel, FindsWhatTheOracleFindsOnPlanesLargerThanAnyBlock) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

// Rows of odd lengths, so that most begin in the middle of a cache line.
TEST(MaxPoolKernel, FindsWhatTheOracleFindsPastTheCache) {
  for_each_case(12, [](Random& random, const std::string& repeat) {
    PoolCase it{.type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16}),
                .index_type = random.pick({Type::kInt32, Type::kInt64})};
    it.geometry.c = random.pick<std::int64_t>({1, 3, 37, 200});
    it.geometry.window = random.chance(50) ? Window{{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}
                                           : Window{{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}};
    const auto width = random.pick<std::int64_t>({56, 83, 129, 3001});
    it.geometry.in = {1, (std::int64_t{20} << 20) / (it.geometry.c * width * size_of(it.type)) + 2, width};
    if (!it.geometry.derive_out()) return std::string("no windows");
    it.self = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
    it.values_layout = it.index_layout = it.self;
    it.values = random_values_to_compare(random);
    return check(it, random, repeat);
  });
}

class NetworkWindows : public testing::TestWithParam<PoolNetwork> {};

TEST_P(NetworkWindows, FindWhatTheOracleFindsInEveryTypeAndLayout) {
  for (const Type type : {Type::kFloat, Type::kFloat16, Type::kBf16}) {
    for (const Type index_type : {Type::kInt32, Type::kInt64}) {
      for (const LayoutKind layout : {LayoutKind::kContiguous, LayoutKind::kChannelsLast}) {
        for (const Values values : {Values::kOrdinary, Values::kTies, Values::kNans}) {
          PoolCase it{
              .type = type,
              .index_type = index_type,
              .geometry = {.n = 2, .c = GetParam().c, .in = GetParam().in, .window = GetParam().window},
              .self = layout,
              .values_layout = layout,
              .index_layout = layout,
              .values = values};
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
