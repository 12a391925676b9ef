#include "cuda/compare_case.h"
#include "ops/max_pool/plan.h"
#include "ops/max_unpool/plan.h"
#include "ops/upsample_nearest/plan.h"
#include "reference/indices.h"

namespace cuda_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Type;

// Often what networks have: both alike, without gaps.
void choose_layouts(Random& random, LayoutKind& from, LayoutKind& to) {
  from = random_input_layout(random);
  to = random_output_layout(random);
  if (random.chance(60)) from = to = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
}

// The oracle looks at every tap of every window.
reference::PoolGeometry quick_geometry(Random& random, bool flat, bool large) {
  const std::int64_t limit = large ? 20000000 : 2000000;
  for (;;) {
    const reference::PoolGeometry it =
        random.chance(60) ? network_geometry(random, flat, large) : random_pool_geometry(random, flat, large);
    const reference::Triple& kernel = it.window.kernel;
    if (it.out_count() * kernel[0] * kernel[1] * kernel[2] <= limit) return it;
  }
}

std::string check_pool(Stream& stream, Random& random, bool large) {
  const bool flat = random.chance(50);
  const reference::PoolGeometry it = quick_geometry(random, flat, large);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});
  LayoutKind from{};
  LayoutKind to{};
  choose_layouts(random, from, to);
  const Operand self(random, type, it.in_sizes(), from);
  Operand values(random, type, it.out_sizes(), to);
  Operand indices(random, index_type, it.out_sizes(), random.chance(80) ? to : random_output_layout(random));
  fill_values(random, self, reference::random_values_to_compare(random));
  const Operand expected = values.clone();
  const Operand expected_indices = indices.clone();
  reference::max_pool(self.view(), it.window, expected.view(), expected_indices.view());

  const Mirror device_self(self);
  const Mirror device_values(values);
  const Mirror device_indices(indices);
  const cairn::max_pool::Plan plan{.type = to_kernel(type),
                                   .index_type = to_kernel(index_type),
                                   .n = it.n,
                                   .c = it.c,
                                   .in = to_kernel(it.in),
                                   .out = to_kernel(it.out),
                                   .kernel = to_kernel(it.window.kernel),
                                   .stride = to_kernel(it.window.stride),
                                   .padding = to_kernel(it.window.padding),
                                   .dilation = to_kernel(it.window.dilation),
                                   .self = device_self.view(),
                                   .values = device_values.view(),
                                   .indices = device_indices.view()};
  stream.launch(cairn::Family::max_pool, plan);
  std::string wrong = compare_fault(stream, std::nullopt);
  wrong += device_values.compare(expected, values) + device_indices.compare(expected_indices, indices);
  if (wrong.empty()) return {};
  return "max_pool " + describe(it.window) + "\n  self " + self.describe() + "\n  values " +
         values.describe() + "\n  indices " + indices.describe() + wrong;
}

// Planes larger than a tile whose windows lie side by side.
reference::UnpoolGeometry network_unpool(Random& random) {
  reference::UnpoolGeometry it;
  it.c = random.between(1, 3);
  it.pooled = {random.between(1, 10), random.between(10, 40), 4 * random.between(5, 20)};
  for (std::size_t axis = 0; axis < 3; ++axis)
    it.unpooled[axis] = 2 * it.pooled[axis] + (random.chance(20) ? random.between(-1, 1) : 0);
  return it;
}

std::string check_unpool(Stream& stream, Random& random, bool large) {
  using enum Type;
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
  const Type index_type = random.pick({kInt32, kInt64});
  const reference::UnpoolGeometry it =
      random.chance(large ? 70 : 5) ? network_unpool(random) : random_unpool_geometry(random, large);
  const bool plain = random.chance(50);
  const Operand self(random, type, it.pooled_sizes(),
                     plain ? LayoutKind::kContiguous : random_input_layout(random));
  const Operand indices(random, index_type, it.pooled_sizes(),
                        plain ? LayoutKind::kContiguous : random_input_layout(random));
  Operand out(random, type, it.unpooled_sizes(), LayoutKind::kContiguous);
  const Indices kind = reference::random_indices(random);
  const reference::Window apart{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
  const reference::Window overlapping{.kernel = {3, 3, 3}, .stride = {2, 2, 2}, .padding = {1, 1, 1}};
  const bool overlap = random.chance(30);
  fill_values(random, self, reference::Values::kAnyBits);
  fill_indices(random, indices, kind, it.unpooled, overlap ? &overlapping : &apart);
  const Operand expected = out.clone();
  const auto fault = reference::max_unpool(self.view(), indices.view(), expected.view());

  const Mirror device_self(self);
  const Mirror device_indices(indices);
  const Mirror device_out(out);
  const cairn::max_unpool::Plan plan{.type = to_kernel(type),
                                     .index_type = to_kernel(index_type),
                                     .n = it.n,
                                     .c = it.c,
                                     .pooled = to_kernel(it.pooled),
                                     .unpooled = to_kernel(it.unpooled),
                                     .self = device_self.view(),
                                     .indices = device_indices.view(),
                                     .out = device_out.view()};
  stream.launch(cairn::Family::max_unpool, plan);
  std::string wrong = compare_fault(stream, fault);
  wrong += device_out.compare(expected, out);
  if (wrong.empty()) return {};
  return std::string("max_unpool indices ") + name_of(kind) + "\n  self " + self.describe() + "\n  indices " +
         indices.describe() + "\n  out " + out.describe() + wrong;
}

std::string check_upsample(Stream& stream, Random& random, bool large) {
  using enum Type;
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kUint8});
  reference::UpsampleGeometry it = random_upsample_geometry(random, large);
  if (random.chance(40)) {
    it.in[2] = 8 * random.between(1, large ? 8 : 3);
    it.out[2] = it.in[2] * random.between(1, 4);
  } else if (random.chance(30)) {
    // Rows in packs, of sizes whose ratio is no whole number.
    it.in[2] = 2 * random.between(2, large ? 40 : 12);
    it.out[2] = 8 * random.between((9 * it.in[2] + 39) / 40, it.in[2] / 2);
  }
  LayoutKind from{};
  LayoutKind to{};
  choose_layouts(random, from, to);
  const Operand self(random, type, it.in_sizes(), from);
  Operand values(random, type, it.out_sizes(), to);
  fill_values(random, self, reference::Values::kAnyBits);
  const std::array<float, 3> steps = reference::upsample_steps(it.in, it.out, it.scales);
  const Operand expected = values.clone();
  reference::upsample_nearest(self.view(), expected.view(), steps);

  const Mirror device_self(self);
  const Mirror device_values(values);
  const cairn::upsample_nearest::Plan plan{.type = to_kernel(type),
                                           .n = it.n,
                                           .c = it.c,
                                           .in = to_kernel(it.in),
                                           .out = to_kernel(it.out),
                                           .scale_d = steps[0],
                                           .scale_h = steps[1],
                                           .scale_w = steps[2],
                                           .self = device_self.view(),
                                           .values = device_values.view()};
  stream.launch(cairn::Family::upsample_nearest, plan);
  std::string wrong = compare_fault(stream, std::nullopt);
  wrong += device_values.compare(expected, values);
  if (wrong.empty()) return {};
  return "upsample_nearest steps " + std::to_string(steps[0]) + " " + std::to_string(steps[1]) + " " +
         std::to_string(steps[2]) + "\n  self " + self.describe() + "\n  values " + values.describe() + wrong;
}

}  // namespace

std::string check_forward(Stream& stream, Random& random, bool large) {
  switch (random.between(0, 4)) {
    case 0:
      return check_unpool(stream, random, large);
    case 1:
      return check_upsample(stream, random, large);
    default:
      return check_pool(stream, random, large);
  }
}

}  // namespace cuda_test
