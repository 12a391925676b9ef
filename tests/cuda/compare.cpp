#include "cuda/compare.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cuda/compare_case.h"
#include "ops/max_pool_backward/plan.h"
#include "ops/max_unpool_backward/plan.h"
#include "ops/upsample_nearest_backward/plan.h"
#include "reference/indices.h"

namespace cuda_test {
namespace {

using reference::Indices;
using reference::LayoutKind;
using reference::Operand;
using reference::Random;
using reference::Sizes;
using reference::Triple;
using reference::Type;

std::string check_pool(Stream& stream, Random& random, bool large) {
  const bool flat = random.chance(50);
  // Stride 1, as many windows as cells, planes without gaps: there are kernels that want all of it.
  const bool marked = random.chance(30);
  const auto shape = flat && random.chance(50) ? Triple{5, 1, 2} : Triple{3, 1, 1};
  const reference::PoolGeometry it = marked              ? network_geometry(random, shape, flat, large)
                                     : random.chance(50) ? network_geometry(random, flat, large)
                                                         : random_pool_geometry(random, flat, large);
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16});
  const Type index_type = random.pick({Type::kInt32, Type::kInt64});
  LayoutKind from = random_input_layout(random);
  LayoutKind to = random_output_layout(random);
  if (marked) from = to = LayoutKind::kContiguous;
  if (!marked && random.chance(50))
    from = to = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  const bool channels_last = random.chance(50);
  const Operand grad_output(random, type, it.out_sizes(), from);
  const Operand indices(random, index_type, it.out_sizes(),
                        random.chance(70) ? from : random_input_layout(random));
  Operand grad_input(random, type, it.in_sizes(), to);
  const Indices kind = reference::random_indices(random);
  fill_values(random, grad_output, reference::random_values(random));
  fill_indices(random, indices, kind, it.in, &it.window);
  const Operand expected = grad_input.clone();
  const auto fault =
      reference::max_pool_backward(grad_output.view(), indices.view(), expected.view(), channels_last);

  const Mirror device_output(grad_output);
  const Mirror device_indices(indices);
  const Mirror device_input(grad_input);
  const cairn::max_pool_backward::Plan plan{.type = to_kernel(type),
                                            .index_type = to_kernel(index_type),
                                            .n = it.n,
                                            .c = it.c,
                                            .in = to_kernel(it.in),
                                            .out = to_kernel(it.out),
                                            .kernel = to_kernel(it.window.kernel),
                                            .stride = to_kernel(it.window.stride),
                                            .padding = to_kernel(it.window.padding),
                                            .dilation = to_kernel(it.window.dilation),
                                            .channels_last = channels_last,
                                            .grad_output = device_output.view(),
                                            .indices = device_indices.view(),
                                            .grad_input = device_input.view()};
  stream.launch(cairn::Family::max_pool_backward, plan);
  std::string wrong = compare_fault(stream, fault);
  wrong += device_input.compare(expected, grad_input);
  if (wrong.empty()) return {};
  return "max_pool_backward " + describe(it.window) + " indices " + name_of(kind) + "\n  gradOutput " +
         grad_output.describe() + "\n  indices " + indices.describe() + "\n  gradInput " +
         grad_input.describe() + wrong;
}

std::string check_unpool(Stream& stream, Random& random, bool large) {
  using enum Type;
  const Type type = random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
  const Type index_type = random.pick({kInt32, kInt64, kInt64});
  Sizes pooled{random.between(1, 3), random.pick<std::int64_t>({1, 2, 3, 17}), 1, 1, 1};
  Sizes unpooled = pooled;
  for (std::size_t axis = 2; axis < 5; ++axis) {
    pooled[axis] = random.between(1, large ? 24 : 8);
    unpooled[axis] = random.chance(60) ? 2 * pooled[axis] : random.between(1, large ? 40 : 16);
  }
  const bool plain = random.chance(40);
  const Operand grad_output(random, type, unpooled,
                            plain ? LayoutKind::kContiguous : random_input_layout(random));
  const Operand indices(random, index_type, pooled,
                        plain ? LayoutKind::kContiguous : random_input_layout(random));
  Operand out(random, type, pooled, LayoutKind::kContiguous);
  const Indices kind = reference::random_indices(random);
  const Triple in{unpooled[2], unpooled[3], unpooled[4]};
  const reference::Window window{.kernel = {2, 2, 2}, .stride = {2, 2, 2}};
  fill_values(random, grad_output, reference::Values::kAnyBits);
  fill_indices(random, indices, kind, in, &window);
  const Operand expected = out.clone();
  const auto fault = reference::max_unpool_backward(grad_output.view(), indices.view(), expected.view());

  const Mirror device_output(grad_output);
  const Mirror device_indices(indices);
  const Mirror device_out(out);
  const cairn::max_unpool_backward::Plan plan{.type = to_kernel(type),
                                              .index_type = to_kernel(index_type),
                                              .n = pooled[0],
                                              .c = pooled[1],
                                              .pooled = {pooled[2], pooled[3], pooled[4]},
                                              .unpooled = {unpooled[2], unpooled[3], unpooled[4]},
                                              .grad_output = device_output.view(),
                                              .indices = device_indices.view(),
                                              .out = device_out.view()};
  stream.launch(cairn::Family::max_unpool_backward, plan);
  std::string wrong = compare_fault(stream, fault);
  wrong += device_out.compare(expected, out);
  if (wrong.empty()) return {};
  return std::string("max_unpool_backward indices ") + name_of(kind) + "\n  gradOutput " +
         grad_output.describe() + "\n  indices " + indices.describe() + "\n  out " + out.describe() + wrong;
}

double any_scale(Random& random, std::int64_t in, std::int64_t out) {
  const double fitting = static_cast<double>(out) / static_cast<double>(in);
  switch (random.between(0, 4)) {
    case 0:
      return fitting * (0.5 + random.unit());
    case 1:
      return random.pick({0.3, 0.7, 1.0, 1.2, 1.5, 2.0, 2.3, 3.0, 50.5});
    case 2:
      return random.pick({1e-30, 1e-45, 1e30, 3.4e38, 0x1p-20, 1.0 + 1e-7});
    default:
      return fitting;
  }
}

std::string check_upsample(Stream& stream, Random& random, bool large) {
  const Type type = random.pick({Type::kFloat, Type::kFloat16, Type::kBf16, Type::kDouble});
  Sizes in{random.between(1, 3), random.pick<std::int64_t>({1, 2, 3, 16, 17, 64}), 1, 1, 1};
  Sizes out = in;
  Triple in3{};
  Triple out3{};
  std::array<double, 3> given{};
  const std::int64_t longest = large ? 40 : 9;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    in3[axis] = random.between(1, longest);
    out3[axis] = random.chance(50) ? random.between(1, 3) * in3[axis] : random.between(1, 2 * longest);
  }
  if (random.chance(40)) {
    in3[2] = 8 * random.between(1, large ? 8 : 3);
    out3[2] = in3[2] * random.between(1, 4);
  } else if (random.chance(30)) {
    // Rows in packs, of sizes whose ratio is no whole number.
    in3[1] = random.between(8, large ? 60 : 20);
    out3[1] = random.between(in3[1], 3 * in3[1]);
    in3[2] = random.between(9, large ? 70 : 30);
    out3[2] = 8 * random.between(in3[2] / 8 + 1, 3 * in3[2] / 8);
  }
  const bool scaled = random.chance(40);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    in[axis + 2] = in3[axis];
    out[axis + 2] = out3[axis];
    if (scaled) given[axis] = any_scale(random, in3[axis], out3[axis]);
  }
  LayoutKind from = random_input_layout(random);
  LayoutKind to = random_output_layout(random);
  if (random.chance(50)) from = to = random.chance(50) ? LayoutKind::kContiguous : LayoutKind::kChannelsLast;
  const Operand grad_out(random, type, out, from);
  Operand grad_input(random, type, in, to);
  fill_values(random, grad_out, reference::random_values(random));
  const std::array<float, 3> scales = reference::upsample_scales(in3, out3, given);
  const Operand expected = grad_input.clone();
  reference::upsample_nearest_backward(grad_out.view(), expected.view(), scales);

  const Mirror device_out(grad_out);
  const Mirror device_input(grad_input);
  const cairn::upsample_nearest_backward::Plan plan{.type = to_kernel(type),
                                                    .n = in[0],
                                                    .c = in[1],
                                                    .in = to_kernel(in3),
                                                    .out = to_kernel(out3),
                                                    .scale_d = scales[0],
                                                    .scale_h = scales[1],
                                                    .scale_w = scales[2],
                                                    .grad_out = device_out.view(),
                                                    .grad_input = device_input.view()};
  stream.launch(cairn::Family::upsample_nearest_backward, plan);
  std::string wrong = compare_fault(stream, std::nullopt);
  wrong += device_input.compare(expected, grad_input);
  if (wrong.empty()) return {};
  return "upsample_nearest_backward scales " + std::to_string(scales[0]) + " " + std::to_string(scales[1]) +
         " " + std::to_string(scales[2]) + "\n  gradOut " + grad_out.describe() + "\n  gradInput " +
         grad_input.describe() + wrong;
}

std::string check_case(Stream& stream, std::uint64_t seed) {
  Random random(seed);
  const bool large = random.chance(8);
  if (random.chance(50)) return check_forward(stream, random, large);
  switch (random.between(0, 5)) {
    case 0:
      return check_unpool(stream, random, large);
    case 1:
    case 2:
      return check_upsample(stream, random, large);
    default:
      return check_pool(stream, random, large);
  }
}

}  // namespace

int compare_with_oracle(std::uint64_t seed, std::uint64_t cases, int threads) {
  constexpr int kShown = 5;
  std::atomic<std::uint64_t> next{0};
  std::atomic<int> failed{0};
  std::mutex mutex;
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i) {
    workers.emplace_back([&] {
      Stream stream;
      for (std::uint64_t number = next++; number < cases; number = next++) {
        const std::string wrong = check_case(stream, seed + number);
        if (wrong.empty() || failed++ >= kShown) continue;
        const std::lock_guard lock(mutex);
        std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed + number), wrong.c_str());
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return failed;
}

}  // namespace cuda_test
