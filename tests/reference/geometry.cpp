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

// Along one axis the only window has a tap on either side of the plane and none in it.
void miss_the_plane(PoolGeometry& it, Random& random, bool flat) {
  const auto axis = static_cast<std::size_t>(random.between(flat ? 1 : 0, 2));
  it.window.kernel[axis] = 2;
  it.window.padding[axis] = 1;
  it.window.dilation[axis] = it.in[axis] + 1;
}

std::int64_t count_of(const Triple& size) { return size[0] * size[1] * size[2]; }

std::int64_t other_size(Random& random, std::int64_t in, std::int64_t longest) {
  switch (random.between(0, 5)) {
    case 0:
      return in;
    case 1:
    case 2:
      return 2 * in;
    case 3:
      return random.between(1, 4) * in;
    default:
      return random.between(1, longest);
  }
}

double any_scale(Random& random, std::int64_t in, std::int64_t out) {
  const double fitting = static_cast<double>(out) / static_cast<double>(in);
  switch (random.between(0, 5)) {
    case 0:
      return fitting * (0.5 + random.unit());
    case 1:
      return random.pick({0.3, 0.7, 1.0, 1.2, 1.5, 2.0, 2.3, 3.0, 50.5});
    case 2:
      return random.pick({1e-30, 1e-40, 1e-45, 1e30, 3.4e38, 0x1p-20, 1.0 + 1e-7});
    default:
      return fitting;
  }
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
    if (random.chance(3)) miss_the_plane(it, random, flat);
  } while (!it.derive_out() || it.in_count() > limit || it.out_count() > limit);
  return it;
}

std::int64_t UnpoolGeometry::count() const { return n * c * (count_of(pooled) + count_of(unpooled)); }

UnpoolGeometry random_unpool_geometry(Random& random, bool large) {
  UnpoolGeometry it;
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
  return it;
}

std::int64_t UpsampleGeometry::count() const { return n * c * (count_of(in) + count_of(out)); }

UpsampleGeometry random_upsample_geometry(Random& random, bool large) {
  UpsampleGeometry it;
  const std::int64_t limit = large ? 1000000 : 40000;
  do {
    it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
    it.c = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3, 16, 17, 64});
    const std::int64_t longest = large ? 90 : random.pick<std::int64_t>({3, 8, 20});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      it.in[axis] = random.between(large ? 20 : 1, longest);
      it.out[axis] = other_size(random, it.in[axis], longest);
    }
    if (random.chance(15)) it.out[2] = random.between(60, 300);
    if (random.chance(10)) it.in[2] = random.between(60, 300);
  } while (it.count() > limit);
  if (random.chance(40))
    for (std::size_t axis = 0; axis < 3; ++axis)
      it.scales[axis] = any_scale(random, it.in[axis], it.out[axis]);
  return it;
}

}  // namespace reference
