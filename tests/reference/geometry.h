#pragma once

#include "reference/indices.h"
#include "reference/oracle.h"
#include "reference/random.h"

namespace reference {

// A pooling call's sizes; 2D has D = 1 and a window of one along it.
struct PoolGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  Window window;
  bool ceil_mode = false;

  std::int64_t in_count() const { return n * c * in[0] * in[1] * in[2]; }
  std::int64_t out_count() const { return n * c * out[0] * out[1] * out[2]; }
  Sizes in_sizes() const { return {n, c, in[0], in[1], in[2]}; }
  Sizes out_sizes() const { return {n, c, out[0], out[1], out[2]}; }
  // Sets `out` to what the forward gives; false when it gives nothing.
  bool derive_out();
};

// Mostly small; `large` has planes larger than any tile. Now and then an axis is empty, or dilation leads
// every tap of a window around the plane.
PoolGeometry random_pool_geometry(Random& random, bool flat, bool large);

struct UnpoolGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple pooled{};
  Triple unpooled{};

  std::int64_t count() const;  // of both tensors together
  Sizes pooled_sizes() const { return {n, c, pooled[0], pooled[1], pooled[2]}; }
  Sizes unpooled_sizes() const { return {n, c, unpooled[0], unpooled[1], unpooled[2]}; }
};
UnpoolGeometry random_unpool_geometry(Random& random, bool large);

// The scales are as a program gives them; often all 0.
struct UpsampleGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  std::array<double, 3> scales{};

  std::int64_t count() const;  // of both tensors together
  Sizes in_sizes() const { return {n, c, in[0], in[1], in[2]}; }
  Sizes out_sizes() const { return {n, c, out[0], out[1], out[2]}; }
};
UpsampleGeometry random_upsample_geometry(Random& random, bool large);

}  // namespace reference
