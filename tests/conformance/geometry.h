#pragma once

#include "conformance/case.h"
#include "reference/oracle.h"
#include "reference/random.h"

// Random sizes, so that every kernel gets its share: anything at all, what kernels are made for, and the
// layers of real networks. An operator of one or two spatial axes has size 1 along the others.
namespace conformance {

using reference::Sizes;
using reference::Triple;

// A pooling call's sizes.
struct PoolGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  reference::Window window{};
  bool ceil_mode = false;

  std::int64_t in_count() const { return n * c * in[0] * in[1] * in[2]; }
  std::int64_t out_count() const { return n * c * out[0] * out[1] * out[2]; }
  Sizes in_sizes() const { return {n, c, in[0], in[1], in[2]}; }
  Sizes out_sizes() const { return {n, c, out[0], out[1], out[2]}; }
  // Sets `out` to what the forward gives; false when it gives nothing.
  bool derive_out();
};
// Now and then an axis is empty, or dilation leads every tap of a window around the plane.
PoolGeometry random_pool_geometry(Random& random, int spatial, Extent extent);

struct UnpoolGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple pooled{};
  Triple unpooled{};

  Sizes pooled_sizes() const { return {n, c, pooled[0], pooled[1], pooled[2]}; }
  Sizes unpooled_sizes() const { return {n, c, unpooled[0], unpooled[1], unpooled[2]}; }
};
// `any`: the unpooled plane need not have room for the pooled one, which may be empty.
UnpoolGeometry random_unpool_geometry(Random& random, int spatial, Extent extent, bool any = false);

// The scales are as a program gives them; often all 0.
struct UpsampleGeometry {
  std::int64_t n = 1;
  std::int64_t c = 1;
  Triple in{};
  Triple out{};
  std::array<double, 3> scales{};

  Sizes in_sizes() const { return {n, c, in[0], in[1], in[2]}; }
  Sizes out_sizes() const { return {n, c, out[0], out[1], out[2]}; }
};
UpsampleGeometry random_upsample_geometry(Random& random, int spatial, Extent extent);

}  // namespace conformance
