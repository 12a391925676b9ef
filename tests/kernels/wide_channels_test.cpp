// Channels-last mean pooling of many channels and more than a few cells, in halves, past the cache: it reads
// memory in order, which random cases are too narrow for.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "conformance/trial.h"
#include "kernels/harness.h"
#include "ops/kernels.h"
#include "ops/mean_pool/plan.h"
#include "reference/mean.h"

namespace kernel_test {
namespace {

using reference::GuardedMemory;
using reference::Type;

struct Shape {
  std::int64_t n, c, in, out;  // in x in cells of which out x out windows are made
};

reference::View last_view(const GuardedMemory& memory, Type type, const Shape& shape, std::int64_t side) {
  return {memory.data(),
          type,
          {shape.n, shape.c, 1, side, side},
          {side * side * shape.c, 1, 0, side * shape.c, shape.c}};
}

cairn::View5 kernel_view(const reference::View& view) {
  return {view.origin, view.stride[0], view.stride[1], view.stride[2], view.stride[3], view.stride[4], 0};
}

void meets_the_oracle(const Shape& shape, Type type, reference::Values values) {
  const auto bytes = [&](std::int64_t side) {
    return static_cast<std::size_t>(shape.n * shape.c * side * side * 2);
  };
  const GuardedMemory self(bytes(shape.in), true);
  const GuardedMemory expected(bytes(shape.out), true);
  const GuardedMemory found(bytes(shape.out), true);
  reference::Random random(static_cast<std::uint64_t>(shape.c));
  const reference::View cells = last_view(self, type, shape, shape.in);
  fill_values(random, cells, values);
  reference::mean_pool(cells, last_view(expected, type, shape, shape.out), {.adaptive = true});
  const cairn::MeanAxis axis{.in = shape.in, .out = shape.out, .kernel = 0};
  const cairn::mean_pool::Plan plan{.type = conformance::to_kernel(type),
                                    .n = shape.n,
                                    .c = shape.c,
                                    .d = {},
                                    .h = axis,
                                    .w = axis,
                                    .divisor = {},
                                    .self = kernel_view(cells),
                                    .values = kernel_view(last_view(found, type, shape, shape.out))};
  const AllIsStreamed here;
  for (const std::int64_t target : targets()) {
    const ForcedTarget forced(target);
    for (const int threads : {1, 2}) {
      std::memset(found.data(), 0x5a, bytes(shape.out));
      ASSERT_FALSE(run_on_cpu(cairn::mean_pool::kCpuCandidates, plan, *make_workers(threads)).has_value());
      ASSERT_EQ(std::memcmp(found.data(), expected.data(), bytes(shape.out)), 0)
          << shape.c << " channels, " << shape.in << " to " << shape.out << ", " << name_of_target(target)
          << ", threads: " << threads;
    }
  }
}

TEST(WideChannels, AreAddedInOrder) {
  for (const Type type : {Type::kFloat16, Type::kBf16}) {
    for (const Shape& shape : {Shape{3, 2048, 7, 1},
                               {2, 2049, 7, 1},
                               {1, 5003, 8, 1},
                               {2, 1023, 5, 1},
                               {2, 700, 16, 2},
                               {1, 1040, 15, 2}})
      for (const auto values : {reference::Values::kWide, reference::Values::kAnyBits})
        meets_the_oracle(shape, type, values);
  }
}

}  // namespace
}  // namespace kernel_test
