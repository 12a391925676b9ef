#include "conformance/geometry.h"

#include <algorithm>

namespace conformance {
namespace {

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
      return random.pick({1e-30, 1e-40, 1e-45, 1e30, 3.4e38, 0x1p-20, 1.0 + 1e-7, 0.0, -1.0, 1e-60, 1e60});
    default:
      return fitting;
  }
}

// Axes that the operator lacks.
void flatten(Triple& size, int spatial) {
  for (int axis = 0; axis < 3 - spatial; ++axis) size[static_cast<std::size_t>(axis)] = 1;
}

// Planes larger than a tile whose windows lie side by side.
void choose_network(UnpoolGeometry& it, Random& random, int spatial) {
  it.c = random.between(1, 3);
  it.pooled = {random.between(1, 10), 0, 0};
  it.pooled[1] = random.between(10, spatial == 2 ? 120 : 40);
  it.pooled[2] = 4 * random.between(5, 20);
  for (std::size_t axis = 0; axis < 3; ++axis)
    it.unpooled[axis] = 2 * it.pooled[axis] + (random.chance(20) ? random.between(-1, 1) : 0);
}

// A few windows of a large plane.
void choose_few(UnpoolGeometry& it, Random& random) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.pooled[axis] = random.between(1, 3);
    it.unpooled[axis] = random.between(20, 60);
  }
}

// Many planes of a few cells.
void choose_tiny(UnpoolGeometry& it, Random& random, std::int64_t elements) {
  const std::int64_t longest = random.between(1, 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.pooled[axis] = random.chance(50) ? longest : random.between(1, longest);
    it.unpooled[axis] = it.pooled[axis] * random.between(1, 2) + random.between(0, 1);
  }
  it.c = elements / count_of(it.unpooled) + random.between(0, 3);
}

// A line of one axis alone.
void choose_line(UnpoolGeometry& it, Random& random, int spatial) {
  const auto axis = static_cast<std::size_t>(random.between(3 - spatial, 2));
  it.pooled = it.unpooled = {1, 1, 1};
  it.pooled[axis] = random.between(10000, 60000);
  it.unpooled[axis] = it.pooled[axis] * random.between(1, 4);
}

// Planes of odd sizes, so that none but the first begins where a cache line does.
void choose_past_cache(UnpoolGeometry& it, Random& random, int spatial) {
  if (random.chance(20)) return choose_tiny(it, random, std::int64_t{7} << 20);
  const bool flat = spatial < 3 || random.chance(30);
  const std::int64_t width = random.between(150, 300);
  const std::int64_t elements = std::int64_t{7} << 20;
  it.c = random.pick<std::int64_t>({1, 3, 9, 90});
  it.unpooled = {1, elements / (it.c * width) + 1, width};
  if (!flat) it.unpooled = {elements / (it.c * 60 * width) + 1, 61, width};
  const auto step = random.pick<std::int64_t>({2, 2, 3});
  for (std::size_t axis = 0; axis < 3; ++axis)
    it.pooled[axis] = std::max<std::int64_t>(it.unpooled[axis] / step, 1);
}

// What rows are copied in: packs, of sizes whose ratio is a whole number or none.
void choose_packs(UpsampleGeometry& it, Random& random, bool large) {
  if (random.chance(60)) {
    it.in[2] = 8 * random.between(1, large ? 8 : 3);
    it.out[2] = it.in[2] * random.between(1, 4);
    return;
  }
  it.in[1] = random.between(8, large ? 60 : 20);
  it.out[1] = random.between(it.in[1], 3 * it.in[1]);
  it.in[2] = random.between(9, large ? 70 : 30);
  it.out[2] = 8 * random.between(it.in[2] / 8 + 1, 3 * it.in[2] / 8);
}

void choose_network(UpsampleGeometry& it, Random& random) {
  struct Network {
    std::int64_t c;
    Triple in;
    Triple out;
  };
  const auto network = random.pick<Network>({{16, {8, 8, 16}, {16, 16, 32}},
                                             {8, {8, 16, 32}, {8, 32, 64}},
                                             {3, {10, 12, 14}, {26, 26, 26}},
                                             {3, {20, 30, 40}, {9, 11, 13}},
                                             {3, {3, 12, 70}, {4, 30, 104}},
                                             {5, {4, 12, 14}, {20, 60, 70}},
                                             {2, {2, 3, 18}, {14, 21, 126}}});
  it = {.n = 2, .c = network.c, .in = network.in, .out = network.out};
}

// Along one axis any pair of sizes: where the rule's rounding bites depends on both.
void choose_pair(UpsampleGeometry& it, Random& random, int spatial) {
  it = {.n = 1, .c = 1, .in = {1, 1, 1}, .out = {1, 1, 1}};
  const auto axis = static_cast<std::size_t>(random.between(3 - spatial, 2));
  it.in[axis] = random.between(1, 40);
  it.out[axis] = random.between(1, 90);
}

// Many channels, as small planes at the bottom of a network have: side by side they fill cache lines.
void choose_deep(UpsampleGeometry& it, Random& random) {
  it = {.n = 1, .c = random.pick<std::int64_t>({300, 1100, 2100}), .in = {1, 1, 1}, .out = {1, 1, 1}};
  for (std::size_t axis = 1; axis < 3; ++axis) {
    it.in[axis] = random.between(1, 3);
    it.out[axis] = random.between(1, 4);
  }
}

// Cells that have two or three positions along W each, in rows of more than a vector: the gradient has a way
// of its own for three.
void choose_threes(UpsampleGeometry& it, Random& random) {
  it = {.n = 1, .c = random.between(1, 3), .in = {1, 1, 1}, .out = {1, 1, 1}};
  it.in[1] = random.between(1, 6);
  it.out[1] = random.between(1, 12);
  it.in[2] = random.between(20, 70);
  it.out[2] = 2 * it.in[2] + random.between(8, it.in[2]);
}

// Lines longer than any table, of one channel or of several.
void choose_line(UpsampleGeometry& it, Random& random, std::int64_t elements) {
  it.c = random.pick<std::int64_t>({1, 3, 17});
  it.in = it.out = {1, 1, 1};
  it.out[2] = elements / it.c + random.between(0, 9);
  it.in[2] = random.chance(50) ? it.out[2] / random.between(1, 4) : random.between(900, it.out[2]);
}

void choose_anything(UpsampleGeometry& it, Random& random, bool large) {
  it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
  it.c = random.pick<std::int64_t>({1, 1, 2, 3, 16, 17, 64});
  const std::int64_t longest = large ? 90 : random.pick<std::int64_t>({3, 8, 20});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.in[axis] = random.between(large ? 20 : 1, longest);
    it.out[axis] = other_size(random, it.in[axis], longest);
  }
  if (random.chance(15)) it.out[2] = random.between(60, 300);
  if (random.chance(10)) it.in[2] = random.between(60, 300);
  if (random.chance(35)) choose_packs(it, random, large);
}

// Rows of odd lengths, so that most begin in the middle of a cache line; or many planes of a few cells.
void choose_past_cache(UpsampleGeometry& it, Random& random) {
  if (random.chance(20)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      it.in[axis] = random.between(1, 4);
      it.out[axis] = random.between(1, 4);
    }
    it.c = (std::int64_t{7} << 20) / std::max(count_of(it.in), count_of(it.out)) + random.between(0, 3);
    return;
  }
  it.c = random.pick<std::int64_t>({1, 3, 37, 200});
  it.out = {1, 0, random.pick<std::int64_t>({40, 83, 96, 5003})};
  it.out[1] = (std::int64_t{7} << 20) / (it.c * it.out[2]) + 2;
  it.in = {1, it.out[1] / random.between(1, 3), 0};
  it.in[2] = it.out[2] / random.between(1, 3);
}

}  // namespace

UnpoolGeometry random_unpool_geometry(Random& random, int spatial, Extent extent, bool any) {
  const bool large = extent == Extent::kLarge;
  UnpoolGeometry it;
  do {
    it = {};
    if (extent == Extent::kPastCache) {
      choose_past_cache(it, random, spatial);
    } else if (random.chance(large ? 60 : 3)) {
      choose_network(it, random, spatial);
    } else if (random.chance(large ? 20 : 1)) {
      choose_few(it, random);
    } else if (random.chance(large ? 30 : 3)) {
      choose_tiny(it, random, large ? 60000 : 500);
    } else if (large && random.chance(30)) {
      choose_line(it, random, spatial);
    } else {
      it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
      it.c = random.pick<std::int64_t>({1, 1, 2, 3, 16, 17});
      const std::int64_t longest = large ? 40 : random.pick<std::int64_t>({2, 5, 10});
      for (std::size_t axis = 0; axis < 3; ++axis) {
        it.pooled[axis] = random.between(1, longest);
        it.unpooled[axis] = random.chance(60) ? 2 * it.pooled[axis] : random.between(1, 2 * longest);
      }
      if (random.chance(15)) it.pooled[2] = random.between(60, 200);
      if (large) it.c = random.between(1, 3);
    }
    flatten(it.pooled, spatial);
    flatten(it.unpooled, spatial);
  } while (!any && count_of(it.unpooled) < count_of(it.pooled));
  if (any && random.chance(3)) it.pooled[static_cast<std::size_t>(random.between(3 - spatial, 2))] = 0;
  return it;
}

UpsampleGeometry random_upsample_geometry(Random& random, int spatial, Extent extent) {
  const bool large = extent == Extent::kLarge;
  const std::int64_t limit = large ? 1000000 : 40000;
  UpsampleGeometry it;
  do {
    it = {};
    if (extent == Extent::kPastCache) {
      choose_past_cache(it, random);
      if (spatial == 1 && it.out[1] > 1) choose_line(it, random, std::int64_t{7} << 20);
    } else if (spatial == 1 && large && random.chance(50)) {
      choose_line(it, random, random.between(20000, 400000));
    } else if (large && random.chance(40)) {
      choose_network(it, random);
    } else if (!large && random.chance(10)) {
      choose_pair(it, random, spatial);
    } else if (!large && random.chance(3)) {
      choose_deep(it, random);
    } else if (!large && random.chance(5)) {
      choose_threes(it, random);
    } else {
      choose_anything(it, random, large);
    }
    flatten(it.in, spatial);
    flatten(it.out, spatial);
  } while (extent != Extent::kPastCache && it.n * it.c * (count_of(it.in) + count_of(it.out)) > limit);
  if (random.chance(40))
    for (std::size_t axis = 0; axis < 3; ++axis)
      it.scales[axis] = any_scale(random, it.in[axis], it.out[axis]);
  return it;
}

}  // namespace conformance
