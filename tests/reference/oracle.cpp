#include "reference/oracle.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "reference/convert.h"

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

// A term more, in double for DOUBLE and in float for the others.
double add(double sum, const void* term, Type type) {
  if (type == Type::kDouble) return sum + load_double(term);
  return static_cast<double>(static_cast<float>(sum) + load_float(term, type));
}

// Rounded once. Which of several NaNs an addition returns is the machine's choice, so none of them is
// kept.
void store_sum(void* element, Type type, double sum) {
  if (type == Type::kDouble) {
    std::memcpy(element, &sum, sizeof(sum));
  } else {
    store_float(element, type, static_cast<float>(sum));
  }
  make_nan_canonical(element, type);
}

double load_real(const void* element, Type type) {
  return type == Type::kDouble ? load_double(element) : static_cast<double>(load_float(element, type));
}

bool is_larger(const void* a, const void* b, Type type) {
  if (is_floating(type)) return load_real(a, type) > load_real(b, type);
  return load_integer(a, type) > load_integer(b, type);
}

void store_least(void* element, Type type) {
  if (is_floating(type)) return store_sum(element, type, -std::numeric_limits<double>::infinity());
  const bool is_unsigned = type == Type::kUint8 || type == Type::kUint16;
  store_integer(element, type, is_unsigned ? 0 : INT64_MIN >> (64 - 8 * size_of(type)));
}

// Element `index` of a plane, counted in D, H, W.
unsigned char* at_index(const View& view, std::int64_t n, std::int64_t c, std::int64_t index) {
  const std::int64_t row = index / view.size[4];
  return view.at(n, c, row / view.size[3], row % view.size[3], index % view.size[4]);
}

bool could_count(double scale) {
  // A double beyond float's range would be undefined to convert in some languages; here IEEE gives Inf.
  const auto narrow = static_cast<float>(scale);
  return narrow > 0.0F && !std::isinf(narrow);
}

// Which of the given scales count.
std::array<bool, 3> counting(const Triple& in, const Triple& out, const std::array<double, 3>& given,
                             Counting how) {
  std::array<bool, 3> result{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result[axis] = could_count(given[axis]);
    if (how == Counting::kIfFitting &&
        std::trunc(static_cast<double>(in[axis]) * given[axis]) != static_cast<double>(out[axis]))
      result[axis] = false;
  }
  if (how == Counting::kTogether && !(result[0] && result[1] && result[2])) result = {};
  return result;
}

}  // namespace

std::int64_t pooled_size(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t behind, std::int64_t dilation, bool ceil_mode) {
  const std::int64_t numerator =
      in + padding + behind - (dilation * (kernel - 1) + 1) + (ceil_mode ? stride - 1 : 0);
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
      std::vector<double> sums(static_cast<std::size_t>(plane), 0.0);
      for (std::int64_t d = 0; d < indices.size[2]; ++d) {
        for (std::int64_t h = 0; h < indices.size[3]; ++h) {
          for (std::int64_t w = 0; w < indices.size[4]; ++w) {
            const std::int64_t index = load_integer(indices.at(n, c, d, h, w), indices.type);
            if (index == -1) continue;
            if (index < 0 || index >= plane) {
              keep_first(first, {position_of(indices.size, channels_last, n, c, d, h, w), index, plane});
              continue;
            }
            double& sum = sums[static_cast<std::size_t>(index)];
            sum = add(sum, grad_output.at(n, c, d, h, w), grad_output.type);
          }
        }
      }
      std::size_t cell = 0;
      for (std::int64_t d = 0; d < grad_input.size[2]; ++d)
        for (std::int64_t h = 0; h < grad_input.size[3]; ++h)
          for (std::int64_t w = 0; w < grad_input.size[4]; ++w)
            store_sum(grad_input.at(n, c, d, h, w), grad_input.type, sums[cell++]);
    }
  }
  return first;
}

void single_tap_backward(const View& grad_output, const Window& window, const View& grad_input) {
  for_each_element(grad_input, [&](auto n, auto c, auto d, auto h, auto w) {
    store_sum(grad_input.at(n, c, d, h, w), grad_input.type, 0.0);
  });
  for_each_element(grad_output, [&](auto n, auto c, auto d, auto h, auto w) {
    const double sum = add(0.0, grad_output.at(n, c, d, h, w), grad_output.type);
    store_sum(grad_input.at(n, c, d * window.stride[0], h * window.stride[1], w * window.stride[2]),
              grad_input.type, sum);
  });
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
    convert(at_index(grad_output, n, c, index), grad_output.type, out.at(n, c, d, h, w), out.type);
  });
  return first;
}

std::array<float, 3> upsample_scales(const Triple& in, const Triple& out, const std::array<double, 3>& given,
                                     Counting how) {
  const std::array<bool, 3> counts = counting(in, out, given, how);
  std::array<float, 3> scales{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    scales[axis] = counts[axis] ? static_cast<float>(given[axis])
                                : static_cast<float>(out[axis]) / static_cast<float>(in[axis]);
  return scales;
}

std::int64_t upsample_low(std::int64_t i, float scale, std::int64_t out, float shift) {
  const float product = static_cast<float>(i) * scale;
  const float difference = product - shift;
  const float low = std::ceil(difference);
  if (low >= 0x1p62F) return out;
  const auto position = static_cast<std::int64_t>(low);
  return position < out ? position : out;
}

void upsample_nearest_backward(const View& grad_out, const View& grad_input,
                               const std::array<float, 3>& scales, float shift) {
  const auto low = [&](std::int64_t i, std::size_t axis) {
    return upsample_low(i, scales[axis], grad_out.size[axis + 2], shift);
  };
  for_each_element(grad_input, [&](auto n, auto c, auto d, auto h, auto w) {
    double sum = 0.0;
    for (auto z = low(d, 0); z < low(d + 1, 0); ++z) {
      for (auto y = low(h, 1); y < low(h + 1, 1); ++y) {
        for (auto x = low(w, 2); x < low(w + 1, 2); ++x)
          sum = add(sum, grad_out.at(n, c, z, y, x), grad_out.type);
      }
    }
    store_sum(grad_input.at(n, c, d, h, w), grad_input.type, sum);
  });
}

void max_pool(const View& self, const Window& window, const View& values, const View* indices) {
  const auto bytes = static_cast<std::size_t>(size_of(self.type));
  const auto tap_at = [&](std::size_t axis, std::int64_t cell, std::int64_t tap) {
    return cell * window.stride[axis] - window.padding[axis] + tap * window.dilation[axis];
  };
  for_each_element(values, [&](auto n, auto c, auto d, auto h, auto w) {
    unsigned char* value = values.at(n, c, d, h, w);
    std::int64_t index = -1;
    store_least(value, values.type);
    for (std::int64_t a = 0; a < window.kernel[0]; ++a) {
      for (std::int64_t b = 0; b < window.kernel[1]; ++b) {
        for (std::int64_t e = 0; e < window.kernel[2]; ++e) {
          const std::int64_t z = tap_at(0, d, a);
          const std::int64_t y = tap_at(1, h, b);
          const std::int64_t x = tap_at(2, w, e);
          if (z < 0 || z >= self.size[2] || y < 0 || y >= self.size[3] || x < 0 || x >= self.size[4])
            continue;
          const unsigned char* tap = self.at(n, c, z, y, x);
          if (index >= 0 && !is_larger(tap, value, self.type) && !is_nan(tap, self.type)) continue;
          index = (z * self.size[3] + y) * self.size[4] + x;
          std::memcpy(value, tap, bytes);
        }
      }
    }
    if (indices != nullptr) store_integer(indices->at(n, c, d, h, w), indices->type, index);
  });
}

void adaptive_max_pool(const View& self, const View& values, const View& indices) {
  const auto begin = [&](std::size_t axis, std::int64_t o) {
    return o * self.size[axis] / values.size[axis];
  };
  const auto end = [&](std::size_t axis, std::int64_t o) {
    const std::int64_t product = (o + 1) * self.size[axis];
    return product / values.size[axis] + (product % values.size[axis] != 0 ? 1 : 0);
  };
  for_each_element(values, [&](auto n, auto c, auto d, auto h, auto w) {
    unsigned char* value = values.at(n, c, d, h, w);
    std::int64_t index = -1;
    for (std::int64_t z = begin(2, d); z < end(2, d); ++z) {
      for (std::int64_t y = begin(3, h); y < end(3, h); ++y) {
        for (std::int64_t x = begin(4, w); x < end(4, w); ++x) {
          const unsigned char* tap = self.at(n, c, z, y, x);
          if (index >= 0 && !is_larger(tap, value, self.type) && !is_nan(tap, self.type)) continue;
          index = (z * self.size[3] + y) * self.size[4] + x;
          std::memcpy(value, tap, static_cast<std::size_t>(size_of(self.type)));
        }
      }
    }
    store_integer(indices.at(n, c, d, h, w), indices.type, index);
  });
}

std::optional<Fault> max_unpool(const View& self, const View& indices, const View& out) {
  std::optional<Fault> first;
  const std::int64_t plane = out.plane();
  const auto bytes = static_cast<std::size_t>(size_of(out.type));
  for_each_element(
      out, [&](auto n, auto c, auto d, auto h, auto w) { std::memset(out.at(n, c, d, h, w), 0, bytes); });
  for_each_element(self, [&](auto n, auto c, auto d, auto h, auto w) {
    const std::int64_t index = load_integer(indices.at(n, c, d, h, w), indices.type);
    if (index == -1) return;
    if (index < 0 || index >= plane) {
      keep_first(first, {position_of(indices.size, false, n, c, d, h, w), index, plane});
      return;
    }
    std::memcpy(at_index(out, n, c, index), self.at(n, c, d, h, w), bytes);
  });
  return first;
}

std::array<float, 3> upsample_steps(const Triple& in, const Triple& out, const std::array<double, 3>& given,
                                    Counting how) {
  const std::array<bool, 3> counts = counting(in, out, given, how);
  std::array<float, 3> steps{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    steps[axis] = counts[axis] ? static_cast<float>(1.0 / given[axis])
                               : static_cast<float>(in[axis]) / static_cast<float>(out[axis]);
    // The smallest scales: as with any large step, position 0 copies 0 and the others copy the last.
    if (std::isinf(steps[axis])) steps[axis] = std::numeric_limits<float>::max();
  }
  return steps;
}

std::int64_t upsample_source(std::int64_t o, float step, std::int64_t in, float shift) {
  const float sum = static_cast<float>(o) + shift;
  const float product = sum * step;
  const float source = std::floor(product);
  if (source >= 0x1p62F) return in - 1;
  const auto position = static_cast<std::int64_t>(source);
  return position < in ? position : in - 1;
}

void upsample_nearest(const View& self, const View& values, const std::array<float, 3>& steps, float shift) {
  const auto source = [&](std::int64_t o, std::size_t axis) {
    return upsample_source(o, steps[axis], self.size[axis + 2], shift);
  };
  for_each_element(values, [&](auto n, auto c, auto d, auto h, auto w) {
    std::memcpy(values.at(n, c, d, h, w), self.at(n, c, source(d, 0), source(h, 1), source(w, 2)),
                static_cast<std::size_t>(size_of(values.type)));
  });
}

}  // namespace reference
