#include "reference/oracle.h"

#include <cmath>
#include <cstring>
#include <vector>

namespace reference {
namespace {

// Calls body(n, c, d, h, w) for every element, W fastest.
template <typename Body>
void for_each_element(const View& view, Body body) {
  for (std::int64_t n = 0; n < view.size[0]; ++n)
    for (std::int64_t c = 0; c < view.size[1]; ++c)
      for (std::int64_t d = 0; d < view.size[2]; ++d)
        for (std::int64_t h = 0; h < view.size[3]; ++h)
          for (std::int64_t w = 0; w < view.size[4]; ++w) body(n, c, d, h, w);
}

std::int64_t position_of(const Sizes& size, bool channels_last, std::int64_t n, std::int64_t c,
                         std::int64_t d, std::int64_t h, std::int64_t w) {
  if (channels_last) return (((n * size[2] + d) * size[3] + h) * size[4] + w) * size[1] + c;
  return (((n * size[1] + c) * size[2] + d) * size[3] + h) * size[4] + w;
}

void keep_first(std::optional<Fault>& first, const Fault& fault) {
  if (!first || fault.position < first->position) first = fault;
}

double load_double(const void* element) {
  double value = 0;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

}  // namespace

std::int64_t pooled_size(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation, bool ceil_mode) {
  const std::int64_t numerator =
      in + 2 * padding - (dilation * (kernel - 1) + 1) + (ceil_mode ? stride - 1 : 0);
  std::int64_t quotient = numerator / stride;
  if (numerator % stride != 0 && numerator < 0) --quotient;
  std::int64_t out = quotient + 1;
  // The last window must start inside the input or its left padding.
  if (ceil_mode && (out - 1) * stride >= in + padding) --out;
  return out;
}

std::optional<Fault> max_pool_backward(const View& grad_output, const View& indices, const View& grad_input,
                                       bool channels_last) {
  std::optional<Fault> first;
  const std::int64_t plane = grad_input.plane();
  for (std::int64_t n = 0; n < grad_input.size[0]; ++n) {
    for (std::int64_t c = 0; c < grad_input.size[1]; ++c) {
      std::vector<float> sums(static_cast<std::size_t>(plane), 0.0F);
      for (std::int64_t d = 0; d < indices.size[2]; ++d) {
        for (std::int64_t h = 0; h < indices.size[3]; ++h) {
          for (std::int64_t w = 0; w < indices.size[4]; ++w) {
            const std::int64_t index = load_integer(indices.at(n, c, d, h, w), indices.type);
            if (index == -1) continue;
            if (index < 0 || index >= plane) {
              keep_first(first, {position_of(indices.size, channels_last, n, c, d, h, w), index, plane});
              continue;
            }
            float& sum = sums[static_cast<std::size_t>(index)];
            sum = sum + load_float(grad_output.at(n, c, d, h, w), grad_output.type);
          }
        }
      }
      std::size_t cell = 0;
      for (std::int64_t d = 0; d < grad_input.size[2]; ++d)
        for (std::int64_t h = 0; h < grad_input.size[3]; ++h)
          for (std::int64_t w = 0; w < grad_input.size[4]; ++w)
            store_float(grad_input.at(n, c, d, h, w), grad_input.type, sums[cell++]);
    }
  }
  return first;
}

std::optional<Fault> max_unpool_backward(const View& grad_output, const View& indices, const View& out) {
  std::optional<Fault> first;
  const std::int64_t plane = grad_output.plane();
  const auto bytes = static_cast<std::size_t>(size_of(out.type));
  for_each_element(out, [&](auto n, auto c, auto d, auto h, auto w) {
    const std::int64_t index = load_integer(indices.at(n, c, d, h, w), indices.type);
    std::memset(out.at(n, c, d, h, w), 0, bytes);
    if (index == -1) return;
    if (index < 0 || index >= plane) {
      keep_first(first, {position_of(indices.size, false, n, c, d, h, w), index, plane});
      return;
    }
    const std::int64_t row = index / grad_output.size[4];
    std::memcpy(out.at(n, c, d, h, w),
                grad_output.at(n, c, row / grad_output.size[3], row % grad_output.size[3],
                               index % grad_output.size[4]),
                bytes);
  });
  return first;
}

std::array<float, 3> upsample_scales(const Triple& in, const Triple& out,
                                     const std::array<double, 3>& given) {
  std::array<float, 3> scales{};
  bool all_count = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A double beyond float's range would be undefined to convert in some languages; here IEEE gives Inf.
    scales[axis] = static_cast<float>(given[axis]);
    all_count = all_count && scales[axis] > 0.0F && !std::isinf(scales[axis]);
  }
  if (all_count) return scales;
  for (std::size_t axis = 0; axis < 3; ++axis)
    scales[axis] = static_cast<float>(out[axis]) / static_cast<float>(in[axis]);
  return scales;
}

std::int64_t upsample_low(std::int64_t i, float scale, std::int64_t out) {
  const float product = static_cast<float>(i) * scale;
  const float low = std::ceil(product);
  if (low >= 0x1p62F) return out;
  const auto position = static_cast<std::int64_t>(low);
  return position < out ? position : out;
}

void upsample_nearest_backward(const View& grad_out, const View& grad_input,
                               const std::array<float, 3>& scales) {
  for_each_element(grad_input, [&](auto n, auto c, auto d, auto h, auto w) {
    float sum = 0.0F;
    double double_sum = 0.0;
    for (auto z = upsample_low(d, scales[0], grad_out.size[2]);
         z < upsample_low(d + 1, scales[0], grad_out.size[2]); ++z) {
      for (auto y = upsample_low(h, scales[1], grad_out.size[3]);
           y < upsample_low(h + 1, scales[1], grad_out.size[3]); ++y) {
        for (auto x = upsample_low(w, scales[2], grad_out.size[4]);
             x < upsample_low(w + 1, scales[2], grad_out.size[4]); ++x) {
          const unsigned char* value = grad_out.at(n, c, z, y, x);
          if (grad_out.type == Type::kDouble) {
            double_sum = double_sum + load_double(value);
          } else {
            sum = sum + load_float(value, grad_out.type);
          }
        }
      }
    }
    unsigned char* cell = grad_input.at(n, c, d, h, w);
    if (grad_input.type == Type::kDouble) {
      std::memcpy(cell, &double_sum, sizeof(double_sum));
    } else {
      store_float(cell, grad_input.type, sum);
    }
  });
}

}  // namespace reference
