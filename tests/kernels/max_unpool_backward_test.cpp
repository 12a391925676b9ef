#include <gtest/gtest.h>

#include <sstream>

#include "kernels/harness.h"
#include "ops/max_unpool_backward/cpu.h"
#include "reference/indices.h"

namespace kernel_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;
using reference::Values;
using reference::Window;

struct UnpoolCase {
  Type type = Type::kFloat;
  Type index_type = Type::kInt64;
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple pooled{};
  Triple unpooled{};
  LayoutKind grad_output = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  Indices indices = Indices::kAnywhere;
  Values values = Values::kAnyBits;
};

std::int64_t count(const Triple& size) { return size[0] * size[1] * size[2]; }

std::string check(const UnpoolCase& it, Random& random, const std::string& repeat) {
  const Sizes pooled{it.n, it.c, it.pooled[0], it.pooled[1], it.pooled[2]};
  const Sizes unpooled{it.n, it.c, it.unpooled[0], it.unpooled[1], it.unpooled[2]};
  const Operand grad_output(random, it.type, unpooled, it.grad_output);
  const Operand indices(random, it.index_type, pooled, it.index_layout);
  Operand out(random, it.type, pooled, LayoutKind::kContiguous);
  fill_values(random, grad_output, it.values);
  const Window windows{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
  fill_indices(random, indices, it.indices, it.unpooled, &windows);

  const std::string description = "max_unpool_backward indices " + std::string(name_of(it.indices)) +
                                  "\n  gradOutput " + grad_output.describe() + "\n  indices " +
                                  indices.describe() + "\n  out " + out.describe() + "\n";
  note_current_case(description + repeat);
  const Operand expected = out.clone();
  const auto fault = reference::max_unpool_backward(grad_output.view(), indices.view(), expected.view());

  const cairn::max_unpool_backward::Plan plan{.type = to_kernel(it.type),
                                              .index_type = to_kernel(it.index_type),
                                              .n = it.n,
                                              .c = it.c,
                                              .pooled = to_kernel(it.pooled),
                                              .unpooled = to_kernel(it.unpooled),
                                              .grad_output = to_kernel(grad_output),
                                              .indices = to_kernel(indices),
                                              .out = to_kernel(out)};
  const std::string wrong = check_everywhere(
      random, it.n * it.c * (count(it.pooled) + count(it.unpooled)) < 30000,
      {expected, fault, reference::NanRule::kExactBits}, out, {&grad_output, &indices},
      [&](cairn::Workers& workers) { return cairn::max_unpool_backward::run_on_cpu(plan, workers); });
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
  it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
  it.c = random.pick<std::int64_t>({1, 1, 2, 3, 16, 17});
  const auto longest = random.pick<std::int64_t>({2, 5, 10});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.pooled[axis] = random.between(1, longest);
    it.unpooled[axis] = random.chance(60) ? 2 * it.pooled[axis] : random.between(1, 2 * longest);
  }
  if (random.chance(15)) it.pooled[2] = random.between(60, 200);
  if (large) {
    it.n = 1;
    it.c = random.pick<std::int64_t>({1, 3});
    it.pooled = {random.between(10, 20), random.between(30, 60), random.between(50, 90)};
    it.unpooled = {random.between(20, 40), random.between(40, 60), random.between(60, 90)};
  }
  it.grad_output = random_input_layout(random);
  it.index_layout = random_input_layout(random);
  if (random.chance(40)) it.grad_output = it.index_layout = LayoutKind::kContiguous;
  it.indices = random_indices(random);
  // Bits are copied, so NaN payloads and the sign of zero must come through as they are.
  it.values = random.chance(50) ? Values::kAnyBits : random_values(random);
  return it;
}

TEST(MaxUnpoolBackwardKernel, CopiesTheBitsTheOracleCopies) {
  for_each_case(12000, [](std::uint64_t seed) {
    Random random(seed);
    const UnpoolCase it = random_case(random, false);
    return check(it, random, reference::how_to_repeat(seed));
  });
}

TEST(MaxUnpoolBackwardKernel, CopiesTheBitsTheOracleCopiesOnLargePlanes) {
  for_each_case(120, [](std::uint64_t seed) {
    Random random(seed);
    const UnpoolCase it = random_case(random, true);
    return check(it, random, reference::how_to_repeat(seed));
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
                            .n = 2,
                            .c = 3,
                            .pooled = {8, 16, 32},
                            .unpooled = {16, 32, 64},
                            .indices = indices};
        Random random(reference::first_seed());
        EXPECT_EQ(check(it, random, "segmentation network"), "");
      }
    }
  }
}

}  // namespace
}  // namespace kernel_test
