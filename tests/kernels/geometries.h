#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "reference/geometry.h"

// Geometries on which an operator and its backward are both tested.
namespace kernel_test {

struct PoolNetwork {
  const char* name;
  std::int64_t c;
  reference::Triple in;
  reference::Window window;
};

inline constexpr std::array kPoolNetworks = {
    PoolNetwork{"unet3d", 2, {16, 16, 32}, {{2, 2, 2}, {2, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    PoolNetwork{"video", 2, {4, 28, 56}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"i3d", 3, {8, 14, 28}, {{3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"resnet3d", 2, {8, 28, 56}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"wide3d", 1, {5, 13, 75}, {{3, 3, 3}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"wide_halved3d", 1, {4, 9, 96}, {{2, 3, 3}, {2, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"alexnet", 3, {1, 27, 111}, {{1, 3, 3}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    PoolNetwork{"resnet", 16, {1, 28, 112}, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}, {1, 1, 1}}},
    PoolNetwork{"vgg", 3, {1, 32, 224}, {{1, 2, 2}, {1, 2, 2}, {0, 0, 0}, {1, 1, 1}}},
    PoolNetwork{"sppf", 17, {1, 20, 40}, {{1, 5, 5}, {1, 1, 1}, {0, 2, 2}, {1, 1, 1}}},
    PoolNetwork{"atrous", 3, {1, 40, 60}, {{1, 3, 3}, {1, 3, 3}, {0, 1, 1}, {1, 4, 2}}},
    PoolNetwork{"global", 5, {4, 12, 20}, {{4, 12, 20}, {4, 12, 20}, {0, 0, 0}, {1, 1, 1}}}};

struct UpsampleNetwork {
  const char* name;
  std::int64_t c;
  reference::Triple in;
  reference::Triple out;
};

inline constexpr std::array kUpsampleNetworks = {UpsampleNetwork{"unet3d", 16, {8, 8, 16}, {16, 16, 32}},
                                                 UpsampleNetwork{"vae", 8, {8, 16, 32}, {8, 32, 64}},
                                                 UpsampleNetwork{"odd", 3, {10, 12, 14}, {26, 26, 26}},
                                                 UpsampleNetwork{"shrinking", 3, {20, 30, 40}, {9, 11, 13}}};

template <typename Network>
std::string network_name(const testing::TestParamInfo<Network>& it) {
  return it.param.name;
}

// Along one axis, every pair of sizes: where the rule's rounding bites depends on both. Ends at the first
// that check(random, geometry, repeat) complains about.
template <typename Check>
void for_each_pair_of_sizes(Check check) {
  std::string wrong;
  for (std::int64_t in = 1; in <= 40 && wrong.empty(); ++in) {
    for (std::int64_t out = 1; out <= 90 && wrong.empty(); out += 1 + in % 3) {
      reference::Random random(static_cast<std::uint64_t>(in * 1000 + out));
      reference::UpsampleGeometry geometry{.in = {1, 1, 1}, .out = {1, 1, 1}};
      const auto axis = static_cast<std::size_t>(random.between(0, 2));
      geometry.in[axis] = in;
      geometry.out[axis] = out;
      wrong = check(random, geometry, "sizes " + std::to_string(in) + " and " + std::to_string(out));
    }
  }
  EXPECT_EQ(wrong, "");
}

}  // namespace kernel_test
