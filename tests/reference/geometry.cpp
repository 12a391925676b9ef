#include "reference/geometry.h"

#include <algorithm>

namespace reference {
namespace {

void choose_window(PoolGeometry& it, Random& random, bool flat) {
  const bool cube = random.chance(40);
  const bool dilated = random.chance(25);
  const std::int64_t widest = random.chance(10) ? 12 : 4;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (flat && axis == 0) {
      it.window.kernel[0] = it.window.stride[0] = it.window.dilation[0] = 1;
      it.window.padding[0] = 0;
      continue;
    }
    const std::size_t first = flat ? 1 : 0;
    if (cube && axis > first) {
      it.window.kernel[axis] = it.window.kernel[first];
      it.window.stride[axis] = it.window.stride[first];
      it.window.padding[axis] = it.window.padding[first];
      it.window.dilation[axis] = it.window.dilation[first];
      continue;
    }
    it.window.kernel[axis] = random.between(1, widest);
    it.window.stride[axis] = random.chance(30) ? it.window.kernel[axis] : random.between(1, widest + 1);
    it.window.padding[axis] = random.chance(50) ? 0 : random.between(0, it.window.kernel[axis] / 2);
    it.window.dilation[axis] = dilated ? random.between(1, 3) : 1;
  }
}

void choose_sizes(PoolGeometry& it, Random& random, bool flat, bool large) {
  const auto longest = random.pick<std::int64_t>({3, 6, 12, 20});
  for (std::size_t axis = 0; axis < 3; ++axis) it.in[axis] = random.between(1, longest);
  it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
  it.c = random.chance(2) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3, 3, 5, 16, 17, 64});
  if (random.chance(15)) it.in[2] = random.between(60, 300);
  if (flat) it.in[0] = 1;
  if (large) {
    it.n = 1;
    it.c = random.pick<std::int64_t>({1, 3, 17});
    it.in = flat ? Triple{1, random.between(200, 400), random.between(200, 400)}
                 : Triple{random.between(8, 30), random.between(30, 70), random.between(30, 90)};
  }
  if (random.chance(2)) it.in[static_cast<std::size_t>(random.between(flat ? 1 : 0, 2))] = 0;
}

}  // namespace

bool PoolGeometry::derive_out() {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[axis] = pooled_size(in[axis], window.kernel[axis], window.stride[axis], window.padding[axis],
                            window.dilation[axis], ceil_mode);
    if (in[axis] == 0) out[axis] = std::max<std::int64_t>(out[axis], 0);
    if (in[axis] > 0 && out[axis] <= 0) return false;
  }
  return true;
}

PoolGeometry random_pool_geometry(Random& random, bool flat, bool large) {
  const std::int64_t limit = large ? 600000 : 20000;
  PoolGeometry it;
  do {
    choose_window(it, random, flat);
    choose_sizes(it, random, flat, large);
    it.ceil_mode = random.chance(40);
  } while (!it.derive_out() || it.in_count() > limit || it.out_count() > limit);
  return it;
}

}  // namespace reference
