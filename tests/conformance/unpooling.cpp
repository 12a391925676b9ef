#include "conformance/unpooling.h"

#include <algorithm>

#include "reference/convert.h"

namespace conformance {

reference::Type random_unpool_type(Random& random) {
  using enum reference::Type;
  return random.pick({kFloat, kFloat16, kBf16, kDouble, kInt8, kUint8, kInt16, kInt32, kInt64});
}

reference::Type random_out_type(Random& random, reference::Type from) {
  if (random.chance(40)) return from;
  reference::Type to = from;
  do {
    to = static_cast<reference::Type>(random.between(0, static_cast<int>(reference::Type::kBool)));
  } while (!is_conversion(from, to) || to == reference::Type::kUint16);  // which no unpooling knows
  return to;
}

reference::LayoutKind random_out_layout(const Subject& subject, Random& random) {
  if (!has_free_out(subject)) return reference::LayoutKind::kContiguous;
  return random_output_layout(random);
}

void push_sizes(Case& it, Random& random, const Draft& draft, const UnpoolGeometry& geometry) {
  it.arguments.emplace_back(draft.array(geometry.unpooled));
  if (it.subject->spatial < 3) return;
  it.arguments.emplace_back(ArrayArgument({1, 2, 3}));
  it.arguments.emplace_back(ArrayArgument({random.between(-3, 3), 0, 9}));
}

void fill_unpool_indices(const Case& it, Random& random, const View& indices, const Triple& unpooled) {
  reference::Window window;
  const bool overlap = random.chance(30);
  const Triple pooled = plane_of(indices);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (pooled[axis] <= 1 && unpooled[axis] <= 1) continue;
    // A few cells more than fit are left out, as a pooling leaves them.
    const std::int64_t step =
        std::clamp<std::int64_t>(unpooled[axis] / std::max<std::int64_t>(pooled[axis], 1), 1, 4);
    window.stride[axis] = step;
    window.kernel[axis] = step + (overlap ? 1 : 0);
    window.padding[axis] = overlap ? 1 : 0;
  }
  fill_indices(random, indices, it.indices, unpooled, &window);
}

}  // namespace conformance
