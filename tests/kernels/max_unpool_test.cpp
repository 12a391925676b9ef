#include <gtest/gtest.h>

#include "kernels/harness.h"
#include "ops/max_unpool/cpu/candidates.h"
#include "ops/max_unpool/plan.h"
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
  UnpoolGeometry geometry{};
  LayoutKind self = LayoutKind::kContiguous;
  LayoutKind index_layout = LayoutKind::kContiguous;
  Indices indices = Indices::kArgmax;
  Window window{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
};

std::string check(const UnpoolCase& it, Random& random, const std::string& repeat) {
  const UnpoolGeometry& geometry = it.geometry;
  const Operand self(random, it.type, geometry.pooled_sizes(), it.self);
  const Operand indices(random, it.index_type, geometry.pooled_sizes(), it.index_layout);
  Operand out(random, it.type, geometry.unpooled_sizes(), LayoutKind::kContiguous);
  // Bits are copied, so NaN payloads and the sign of zero must come through as they are.
  fill_values(random, self, Values::kAnyBits);
  fill_indices(random, indices, it.indices, geometry.unpooled, &it.window);

  const std::string description = "max_unpool indices " + std::string(name_of(it.indices)) + "\n  self " +
                                  self.describe() + "\n  indices " + indices.describe() + "\n  out " +
                                  out.describe() + "\n";
  note_current_case(description + repeat);
  const Operand expected = out.clone();
  const auto fault = reference::max_unpool(self.view(), indices.view(), expected.view());

  const cairn::max_unpool::Plan plan{.type = to_kernel(it.type),
                                     .index_type = to_kernel(it.index_type),
                                     .n = geometry.n,
                                     .c = geometry.c,
                                     .pooled = to_kernel(geometry.pooled),
                                     .unpooled = to_kernel(geometry.unpooled),
                                     .self = to_kernel(self),
                                     .indices = to_kernel(indices),
                                     .out = to_kernel(out)};
  const std::string wrong = check_everywhere(
      random, geometry.count() < 30000, {expected, fault}, out, {&self, &indices},
      [&](cairn::Workers& workers) { return run_on_cpu(cairn::max_unpool::kCpuCandidates, plan, workers); });
  return wrong.empty() ? wrong : description + wrong;
}

Type any_type(Random& random) {
  using enum Type;
  return random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
}

UnpoolCase random_case(Random& random, bool large) {
  UnpoolCase it;
  it.type = any_type(random);
  it.index_type = random.pick({Type::kInt32, Type::kInt64});
  it.geometry = reference::random_unpool_geometry(random, large);
  it.self = random_input_layout(random);
  it.index_layout = random.chance(50) ? it.self : random_input_layout(random);
  if (random.chance(40)) it.self = it.index_layout = LayoutKind::kContiguous;
  it.indices = random_indices(random);
  return it;
}

TEST(MaxUnpoolKernel, PlacesTheBitsTheOraclePlaces) {
  for_each_case(12000, [](Random& random, const std::string& repeat) {
    return check(random_case(random, false), random, repeat);
  });
}

TEST(MaxUnpoolKernel, PlacesTheBitsTheOraclePlacesOnLargePlanes) {
  for_each_case(120, [](Random& random, const std::string& repeat) {
    return check(random_case(random, true), random, repeat);
  });
}

// Planes of odd sizes, so that none but the first begins where a cache line does.
TEST(MaxUnpoolKernel, PlacesTheBitsTheOraclePlacesPastTheCache) {
  for_each_case(18, [](Random& random, const std::string& repeat) {
    UnpoolCase it;
    it.type = any_type(random);
    it.index_type = random.pick({Type::kInt32, Type::kInt64});
    const bool flat = random.chance(30);
    const std::int64_t width = random.between(150, 300);
    const std::int64_t elements = (std::int64_t{25} << 20) / size_of(it.type);
    it.geometry.c = random.pick<std::int64_t>({1, 3, 9});
    it.geometry.unpooled = {flat ? 1 : elements / (it.geometry.c * 60 * width) + 1,
                            flat ? elements / (it.geometry.c * width) + 1 : 61, width};
    const auto step = random.pick<std::int64_t>({2, 2, 3});
    it.window.stride = {flat ? 1 : step, step, step};
    it.window.kernel = it.window.stride;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::int64_t kernel = it.window.kernel[axis];
      it.geometry.pooled[axis] = std::max<std::int64_t>(it.geometry.unpooled[axis] / kernel, 1);
    }
    it.indices = random_indices(random);
    return check(it, random, repeat);
  });
}

TEST(MaxUnpoolKernel, PlacesEveryTypeOfASegmentationNetwork) {
  using enum Type;
  for (const Type type : {kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64}) {
    for (const Type index_type : {kInt32, kInt64}) {
      for (const Indices indices :
           {Indices::kArgmax, Indices::kArgmaxWithStrays, Indices::kArgmaxWithFaults, Indices::kOneCell}) {
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
