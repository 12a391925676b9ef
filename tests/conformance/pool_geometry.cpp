#include <algorithm>

#include "conformance/geometry.h"

namespace conformance {
namespace {

using reference::Window;

struct Network {
  std::int64_t c;
  Triple in;
  Window window;
};

constexpr std::array kVideoNetworks = {
    Network{2, {16, 16, 32}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    Network{2, {4, 28, 56}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    Network{3, {8, 14, 28}, {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
    Network{2, {8, 28, 56}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
    Network{1, {5, 13, 75}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
    Network{1, {4, 9, 96}, {{2, 3, 3}, {2, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    Network{32, {4, 6, 160}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    Network{5, {4, 12, 20}, {{4, 12, 20}, {4, 12, 20}, {0, 0, 0}, {1, 1, 1}}}};

constexpr std::array kImageNetworks = {
    Network{1, {1, 3, 70001}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    Network{3, {1, 27, 111}, {{1, 3, 3}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    Network{16, {1, 28, 112}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    Network{3, {1, 32, 224}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    Network{17, {1, 20, 40}, {{1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}}},
    Network{3, {1, 40, 60}, {{1, 3, 3}, {1, 3, 3}, {0, 1, 1}, {1, 4, 2}}},
    Network{3, {1, 90, 120}, {{1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}}},
    Network{5, {1, 24, 40}, {{1, 7, 7}, {1, 1, 1}, {0, 3, 3}, {1, 1, 1}}},
    Network{19, {1, 36, 64}, {{1, 4, 4}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}}};

std::size_t first_axis(int spatial) { return static_cast<std::size_t>(3 - spatial); }

void choose_window(PoolGeometry& it, Random& random, int spatial) {
  const bool cube = random.chance(40);
  const bool dilated = random.chance(25);
  const std::int64_t widest = random.chance(10) ? 12 : 4;
  Window& window = it.window;
  window = {};
  const std::size_t first = first_axis(spatial);
  for (std::size_t axis = first; axis < 3; ++axis) {
    if (cube && axis > first) {
      window.kernel[axis] = window.kernel[first];
      window.stride[axis] = window.stride[first];
      window.padding[axis] = window.padding[first];
      window.dilation[axis] = window.dilation[first];
      continue;
    }
    window.kernel[axis] = random.between(1, widest);
    window.stride[axis] = random.chance(30) ? window.kernel[axis] : random.between(1, widest + 1);
    window.padding[axis] = random.chance(50) ? 0 : random.between(0, window.kernel[axis] / 2);
    window.dilation[axis] = dilated ? random.between(1, 3) : 1;
  }
}

void choose_sizes(PoolGeometry& it, Random& random, int spatial, bool large) {
  const auto longest = random.pick<std::int64_t>({3, 6, 12, 20});
  for (std::size_t axis = 0; axis < 3; ++axis)
    it.in[axis] = axis < first_axis(spatial) ? 1 : random.between(1, longest);
  it.n = random.chance(3) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3});
  it.c = random.chance(2) ? 0 : random.pick<std::int64_t>({1, 1, 2, 3, 3, 5, 16, 17, 64});
  if (random.chance(15)) it.in[2] = random.between(60, 300);
  if (large) {
    it.n = 1;
    it.c = random.pick<std::int64_t>({1, 3, 17});
    const std::int64_t d = random.between(8, 30);
    const std::int64_t h = random.between(30, 70);
    const std::int64_t w = random.between(30, 90);
    it.in = spatial == 3 ? Triple{d, h, w} : spatial == 2 ? Triple{1, 6 * h, 4 * w} : Triple{1, 1, 50 * w};
  }
  // A plane of an image always has cells; a volume may have none.
  if (spatial == 3 && random.chance(2)) it.in[static_cast<std::size_t>(random.between(0, 2))] = 0;
  if (spatial < 3) it.c = std::max<std::int64_t>(it.c, 1);
}

// Along one axis the only window has a tap on either side of the plane and none in it.
void miss_the_plane(PoolGeometry& it, Random& random, int spatial) {
  const auto axis = static_cast<std::size_t>(random.between(3 - spatial, 2));
  it.window.kernel[axis] = 2;
  it.window.padding[axis] = 1;
  it.window.dilation[axis] = it.in[axis] + 1;
}

void choose_anything(PoolGeometry& it, Random& random, int spatial, bool large) {
  choose_window(it, random, spatial);
  choose_sizes(it, random, spatial, large);
  it.ceil_mode = random.chance(40);
  if (random.chance(3)) miss_the_plane(it, random, spatial);
}

// The windows that networks use, over planes of any size, mostly in whole packs.
void choose_usual(PoolGeometry& it, Random& random, int spatial, bool large) {
  struct Shape {
    std::int64_t kernel, stride, padding;
  };
  const auto shape = random.pick<Shape>({{2, 2, 0},
                                         {2, 2, 0},
                                         {3, 2, 1},
                                         {3, 2, 1},
                                         {3, 1, 1},
                                         {3, 1, 1},
                                         {5, 1, 2},
                                         {3, 2, 0},
                                         {3, 3, 0},
                                         {7, 1, 3},
                                         {2, 1, 0}});
  it.n = random.between(1, 2);
  it.c = random.pick<std::int64_t>({1, 3, 4, 16, 20, 64});
  it.ceil_mode = random.chance(30);
  it.window = {};
  const std::int64_t longest = large ? 60 : 12;
  const bool single = random.chance(30);  // the window is flat along D
  for (std::size_t axis = first_axis(spatial); axis < 3; ++axis) {
    it.in[axis] = random.between(1, longest);
    if (axis == 0 && single) continue;
    it.window.kernel[axis] = shape.kernel;
    it.window.stride[axis] = shape.stride;
    it.window.padding[axis] = shape.padding;
  }
  for (std::size_t axis = 0; axis < first_axis(spatial); ++axis) it.in[axis] = 1;
  if (random.chance(60)) it.in[2] = 8 * random.between(1, large ? 16 : 5);
  if (spatial > 1 && random.chance(60) && it.in[1] % 2 == 1) ++it.in[1];
}

// Planes of a few cells, and many of them.
void choose_tiny_planes(PoolGeometry& it, Random& random, int spatial, bool large) {
  choose_window(it, random, spatial);
  it.n = random.between(1, 3);
  it.c = random.pick<std::int64_t>({16, 17, 40, 100}) * (large ? 30 : 1);
  for (std::size_t axis = 0; axis < 3; ++axis)
    it.in[axis] = axis < first_axis(spatial) ? 1 : random.between(1, axis == 2 ? 9 : 5);
  it.ceil_mode = random.chance(30);
}

// Windows of whole planes, whole rows or long parts of a row, side by side or overlapping.
void choose_long_windows(PoolGeometry& it, Random& random, int spatial, bool large) {
  it.window = {};
  it.n = 1;
  it.c = random.between(1, 4);
  const Triple longest = {4, 8, large ? 2000 : 200};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    it.in[axis] = axis < first_axis(spatial) ? 1 : random.between(1, longest[axis]);
    if (axis < first_axis(spatial)) continue;
    const std::int64_t kernel = random.chance(50) ? it.in[axis] : random.between(1, it.in[axis]);
    it.window.kernel[axis] = kernel;
    it.window.stride[axis] = random.chance(50) ? kernel : random.between(1, kernel + 2);
    it.window.padding[axis] = random.chance(70) ? 0 : random.between(0, kernel / 2);
  }
  it.ceil_mode = random.chance(30);
}

void choose_network(PoolGeometry& it, Random& random, int spatial) {
  const auto any = [&random](const auto& networks) {
    return networks[static_cast<std::size_t>(random.between(0, std::ssize(networks) - 1))];
  };
  const Network network = spatial == 3 && random.chance(60) ? any(kVideoNetworks) : any(kImageNetworks);
  it = {.n = 2, .c = network.c, .in = network.in, .window = network.window};
  if (spatial > 1) return;
  it.in[1] = it.window.kernel[1] = it.window.stride[1] = it.window.dilation[1] = 1;
  it.window.padding[1] = 0;
}

// Rows of odd lengths, so that most begin in the middle of a cache line.
void choose_past_cache(PoolGeometry& it, Random& random, int spatial) {
  it = {};
  constexpr std::int64_t kCells = std::int64_t{10} << 20;
  if (random.chance(25)) {
    it.in = {1, 1, 1};
    for (std::size_t axis = first_axis(spatial); axis < 3; ++axis)
      it.in[axis] = it.window.kernel[axis] = it.window.stride[axis] = random.between(1, 3);
    it.c = kCells / (it.in[0] * it.in[1] * it.in[2]);
    return;
  }
  it.c = random.pick<std::int64_t>({1, 3, 37, 200});
  const std::int64_t kernel = random.chance(50) ? 3 : 2;
  for (std::size_t axis = std::max<std::size_t>(first_axis(spatial), 1); axis < 3; ++axis) {
    it.window.kernel[axis] = kernel;
    it.window.stride[axis] = 2;
    it.window.padding[axis] = kernel - 2;
  }
  const auto width = random.pick<std::int64_t>({56, 83, 129, 3001});
  const std::int64_t rows = kCells / (it.c * width) + 2;
  it.in = spatial == 1 ? Triple{1, 1, rows * width} : Triple{1, rows, width};
}

}  // namespace

bool PoolGeometry::derive_out() {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    out[axis] = reference::pooled_size(in[axis], window.kernel[axis], window.stride[axis],
                                       window.padding[axis], window.dilation[axis], ceil_mode);
    if (in[axis] == 0) out[axis] = std::max<std::int64_t>(out[axis], 0);
    if (in[axis] > 0 && out[axis] <= 0) return false;
  }
  return true;
}

PoolGeometry random_pool_geometry(Random& random, int spatial, Extent extent) {
  const bool large = extent == Extent::kLarge;
  const std::int64_t limit = large ? 600000 : 20000;
  PoolGeometry it;
  const auto fits = [&] {
    if (!it.derive_out()) return false;
    const Triple& kernel = it.window.kernel;
    return extent == Extent::kPastCache || (it.in_count() <= limit && it.out_count() <= limit &&
                                            it.out_count() * kernel[0] * kernel[1] * kernel[2] <= 20 * limit);
  };
  do {
    if (extent == Extent::kPastCache) {
      choose_past_cache(it, random, spatial);
      continue;
    }
    const std::int64_t kind = random.between(0, 99);
    if (kind < (large ? 45 : 1)) {
      choose_network(it, random, spatial);
    } else if (kind < (large ? 60 : 35)) {
      choose_usual(it, random, spatial, large);
    } else if (kind < (large ? 65 : 42)) {
      choose_tiny_planes(it, random, spatial, large);
    } else if (kind < (large ? 70 : 50)) {
      choose_long_windows(it, random, spatial, large);
    } else {
      choose_anything(it, random, spatial, large);
    }
  } while (!fits());
  return it;
}

}  // namespace conformance
