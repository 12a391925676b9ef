#include <gtest/gtest.h>

#include "kernels/harness.h"
#include "ops/max_unpool_backward/cpu/candidates.h"
#include "ops/max_unpool_backward/plan.h"
#include "reference/geometry.h"

namespace kernel_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Type;
using reference::UnpoolGeometry;
using reference::Values;
using reference::Window;

struct UnpoolCase {
  Type type = Type::kFloat;
  Type index_type = Type::kInt64;
  UnpoolGeometry geometry;
  LayoutKind grad_output = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  Indices indices = Indices::kAnywhere;
  Values values = Values::kAnyBits;
};

std::string check(const UnpoolCase& it, Random& random, const std::string& repeat) {
  const UnpoolGeometry& geometry = it.geometry;
  const Operand grad_output(random, it.type, geometry.unpooled_sizes(), it.grad_output);
  const Operand indices(random, it.index_type, geometry.pooled_sizes(), it.index_layout);
  Operand out(random, it.type, geometry.pooled_sizes(), LayoutKind::kContiguous);
  fill_values(random, grad_output, it.values);
  const Window windows{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
  fill_indices(random, indices, it.indices, geometry.unpooled, &windows);

  const std::string description = "max_unpool_backward indices " + std::string(name_of(it.indices)) +
                                  "\n  gradOutput " + grad_output.describe() + "\n  indices " +
                                  indices.describe() + "\n  out " + out.describe() + "\n";
  note_current_case(description + repeat);
  const Operand expected = out.clone();
  const auto fault = reference::max_unpool_backward(grad_output.view(), indices.view(), expected.view());

  const cairn::max_unpool_backward::Plan plan{.type = to_kernel(it.type),
                                              .index_type = to_kernel(it.index_type),
                                              .n = geometry.n,
                                              .c = geometry.c,
                                              .pooled = to_kernel(geometry.pooled),
                                              .unpooled = to_kernel(geometry.unpooled),
                                              .grad_output = to_kernel(grad_output),
                                              .indices = to_kernel(indices),
                                              .out = to_kernel(out)};
  const std::string wrong =
      check_everywhere(random, geometry.count() < 30000, {expected, fault}, out, {&grad_output, &indices},
                       [&](cairn::Workers& workers) {
                         return run_on_cpu(cairn::max_unpool_backward::kCpuCandidates, plan, workers);
                       });
  return wrong.empty() ? wrong : description + wrong;
}

Type any_type(Random& random) {
  using enum Type;
  return random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
}

UnpoolCase random_case(Random& random, bool large) {
  UnpoolCase it;
  it.type = any_type(random);
  it.index_type = random.pick({Type::kInt32, Type::kInt64, Type::kInt64});
  it.geometry = reference::random_unpool_geometry(random, large);
  it.grad_output = random_input_layout(random);
  it.index_layout = random_input_layout(random);
  if (random.chance(40)) it.grad_output = it.index_layout = LayoutKind::kContiguous;
  it.indices = random_indices(random);
  // Bits are copied, so NaN payloads and the sign of zero must come through as they are.
  it.values = random.chance(50) ? Values::kAnyBits : random_values(random);
  return it;
}

TEST(MaxUnpoolBackwardKernel, CopiesTheBitsTheOracleCopies) {
  for_each_case(12000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(MaxUnpoolBackwardKernel, CopiesTheBitsTheOracleCopiesOnLargePlanes) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

// Planes of odd sizes, so that none but the first begins where a cache line does.
TEST(MaxUnpoolBackwardKernel, CopiesTheBitsTheOracleCopiesPastTheCache) {
  for_each_case(18, [](Random& random, const std::string& repeat) {
    UnpoolCase it;
    it.type = random.pick({any_type(random), Type::kDouble});
    it.index_type = random.pick({Type::kInt32, Type::kInt64});
    it.grad_output = random.pick({LayoutKind::kContiguous, random_input_layout(random)});
    const std::int64_t width = random.between(75, 150);
    const std::int64_t elements = (std::int64_t{25} << 20) / size_of(it.type);
    it.geometry.c = random.pick<std::int64_t>({1, 3, 90});
    it.geometry.unpooled = {elements / (it.geometry.c * 60 * 2 * width) + 1, 61, 2 * width};
    it.geometry.pooled = {std::max<std::int64_t>(it.geometry.unpooled[0] / 2, 1), 30, width};
    it.indices = random_indices(random);
    return check(it, random, repeat);
  });
}

TEST(MaxUnpoolBackwardKernel, CopiesEveryTypeOfASegmentationNetwork) {
  using enum Type;
  for (const Type type : {kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64}) {
    for (const Type index_type : {kInt32, kInt64}) {
      for (const Indices indices :
           {Indices::kArgmax, Indices::kArgmaxWithStrays, Indices::kArgmaxWithFaults}) {
        const UnpoolCase it{.type = type,
                            .index_type = index_type,
                            .geometry = {.n = 2, .c = 3, .pooled = {8, 16, 32}, .unpooled = {16, 32, 64}},
                            .indices = indices};
        Random random(reference::first_seed());
        EXPECT_EQ(check(it, random, "segmentation network"), "");
      }
    }
  }
}

}  // namespace
}  // namespace kernel_test
