#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "reference/number.h"

// The operators as their definition reads, one plain loop each. Slow and obvious on purpose.
namespace reference {

using Sizes = std::array<std::int64_t, 5>;   // N, C, D, H, W
using Triple = std::array<std::int64_t, 3>;  // D, H, W

// A tensor in memory: `origin` is element (0,0,0,0,0), strides are in elements.
struct View {
  unsigned char* origin = nullptr;
  Type type = Type::kFloat;
  Sizes size{};
  Sizes stride{};

  unsigned char* at(std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) const {
    return origin +
           (n * stride[0] + c * stride[1] + d * stride[2] + h * stride[3] + w * stride[4]) * size_of(type);
  }
  std::int64_t plane() const { return size[2] * size[3] * size[4]; }
  std::int64_t count() const { return size[0] * size[1] * plane(); }
};

// The first index (in the order the program sees) that is neither -1 nor in its plane.
struct Fault {
  std::int64_t position;
  std::int64_t value;
  std::int64_t plane;
  bool operator==(const Fault&) const = default;
};

// One axis of the pooling forward's output; may be <= 0, which no forward produces.
std::int64_t pooled_size(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t behind, std::int64_t dilation, bool ceil_mode);
inline std::int64_t pooled_size(std::int64_t in, std::int64_t kernel, std::int64_t stride,
                                std::int64_t padding, std::int64_t dilation, bool ceil_mode) {
  return pooled_size(in, kernel, stride, padding, padding, dilation, ceil_mode);
}

// Each gradOutput value is added to the cell its index names, in ascending position, from +0.0 in float
// (DOUBLE in double); the sum is rounded once, and a NaN is the canonical one. `channels_last` only says in
// which axis order a fault's position is counted.
std::optional<Fault> max_pool_backward(const View& grad_output, const View& indices, const View& grad_input,
                                       bool channels_last);

// A pooling window; 2D has D = 1.
struct Window {
  Triple kernel{1, 1, 1};
  Triple stride{1, 1, 1};
  Triple padding{0, 0, 0};
  Triple dilation{1, 1, 1};
};

// The same of windows of one tap each, without padding: it lies where the window starts.
void single_tap_backward(const View& grad_output, const Window& window, const View& grad_input);

// out[i] = gradOutput[indices[i]], bits untouched, or converted where out has another type; 0 where the index
// is -1 or a fault.
std::optional<Fault> max_unpool_backward(const View& grad_output, const View& indices, const View& out);

// Which given scales count, if they are positive and finite in float; where one does not, the sizes do.
enum class Counting {
  kTogether,   // all three, if all are
  kEachAlone,  // each that is
  kIfFitting,  // each that is and whose product with `in` has the whole part `out`
};

// The scales that count, per axis: the given ones, or out/in.
std::array<float, 3> upsample_scales(const Triple& in, const Triple& out, const std::array<double, 3>& given,
                                     Counting how = Counting::kTogether);

// The first output position that belongs to input position `i` or to a later one. `shift`: 0.5 for the exact
// operators, which go by centres.
std::int64_t upsample_low(std::int64_t i, float scale, std::int64_t out, float shift = 0);

// Sums as in max_pool_backward.
void upsample_nearest_backward(const View& grad_out, const View& grad_input,
                               const std::array<float, 3>& scales, float shift = 0);

// Each cell's largest tap, bits untouched, and where it lies in the plane: the first of equals, the last NaN
// over everything. -inf, or the least integer, and -1 where no tap lies in the plane.
void max_pool(const View& self, const Window& window, const View& values, const View* indices = nullptr);

// The same of adaptive windows: along an axis window o has the cells from floor(o * in / out) to before
// ceil((o + 1) * in / out).
void adaptive_max_pool(const View& self, const View& values, const View& indices);

// out is 0, then out[indices[i]] = self[i] in ascending i, bits untouched; nothing is written for -1 or a
// fault.
std::optional<Fault> max_unpool(const View& self, const View& indices, const View& out);

// What an output position is multiplied by, per axis: 1/scale, or in/out where upsample_scales would not
// count the given scales.
std::array<float, 3> upsample_steps(const Triple& in, const Triple& out, const std::array<double, 3>& given,
                                    Counting how = Counting::kTogether);

// The input position that output position `o` copies.
std::int64_t upsample_source(std::int64_t o, float step, std::int64_t in, float shift = 0);

void upsample_nearest(const View& self, const View& values, const std::array<float, 3>& steps,
                      float shift = 0);

}  // namespace reference
