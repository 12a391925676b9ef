#include "reference/mean.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

namespace reference {
namespace {

// One window on one axis: its taps, and how many it counts.
struct Reach {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t counted = 0;
};
using Reaches = std::vector<Reach>;

__extension__ using Int128 = __int128;

// The padding counts, but not what lies beyond it.
Reaches window_reaches(const Mean& how, std::size_t axis, std::int64_t in, std::int64_t out) {
  Reaches result;
  for (std::int64_t o = 0; o < out; ++o) {
    const Int128 pad = how.window.padding[axis];
    const Int128 begin = Int128{o} * how.window.stride[axis] - pad;
    const Int128 end = std::min<Int128>(begin + how.window.kernel[axis], in + pad);
    const auto first = static_cast<std::int64_t>(std::max<Int128>(begin, 0));
    const auto last = static_cast<std::int64_t>(std::min<Int128>(end, in));
    result.push_back(
        {first, last, how.count_include_pad ? static_cast<std::int64_t>(end - begin) : last - first});
  }
  return result;
}

Reaches adaptive_reaches(std::int64_t in, std::int64_t out) {
  Reaches result;
  for (std::int64_t o = 0; o < out; ++o) {
    const auto begin = static_cast<std::int64_t>(Int128{o} * in / out);
    const auto end = static_cast<std::int64_t>((Int128{o + 1} * in + out - 1) / out);
    result.push_back({begin, end, end - begin});
  }
  return result;
}

std::array<Reaches, 3> reaches(const Mean& how, const View& cells, const View& windows) {
  std::array<Reaches, 3> result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::int64_t in = cells.size[axis + 2];
    const std::int64_t out = windows.size[axis + 2];
    result[axis] = how.adaptive ? adaptive_reaches(in, out) : window_reaches(how, axis, in, out);
  }
  return result;
}

// The windows that hold each cell of an axis, which lie side by side.
Reaches holding(const Reaches& windows, std::int64_t in) {
  Reaches result(static_cast<std::size_t>(in));
  for (std::size_t o = 0; o < windows.size(); ++o) {
    for (std::int64_t i = windows[o].begin; i < windows[o].end; ++i) {
      Reach& cell = result[static_cast<std::size_t>(i)];
      if (cell.end == 0) cell.begin = static_cast<std::int64_t>(o);
      cell.end = static_cast<std::int64_t>(o) + 1;
    }
  }
  return result;
}

// The divisor as a number of T. Past 128 bits it is past any float, and DOUBLE counts taps alone.
template <typename T>
T divisor_of(const Mean& how, const Reach& d, const Reach& h, const Reach& w) {
  if (!how.adaptive && how.divisor_override != 0) return static_cast<T>(how.divisor_override);
  __extension__ using Unsigned = unsigned __int128;
  Unsigned product = static_cast<Unsigned>(d.counted);
  for (const std::int64_t factor : {h.counted, w.counted})
    if (__builtin_mul_overflow(product, static_cast<Unsigned>(factor), &product))
      return std::numeric_limits<T>::infinity();
  return static_cast<T>(product);
}

template <typename T>
T sum_of(const std::vector<T>& terms) {
  constexpr std::size_t kLanes = 64;
  constexpr std::size_t kRun = 4096;
  if (terms.size() > kRun) {
    std::vector<T> sums;
    for (std::size_t at = 0; at < terms.size(); at += kRun) {
      const auto first = terms.begin() + static_cast<std::ptrdiff_t>(at);
      const auto length = static_cast<std::ptrdiff_t>(std::min(kRun, terms.size() - at));
      sums.push_back(sum_of(std::vector<T>(first, first + length)));
    }
    return sum_of(sums);
  }
  std::array<T, kLanes> lanes{};
  for (std::size_t t = 0; t < terms.size(); ++t) lanes[t % kLanes] += terms[t];
  T sum = 0;
  for (const T lane : lanes) sum += lane;
  return sum;
}

template <typename T>
T load(const unsigned char* element, Type type) {
  if (type != Type::kDouble) return static_cast<T>(load_float(element, type));
  double value = 0;
  std::memcpy(&value, element, sizeof(value));
  return static_cast<T>(value);
}

template <typename T>
void store(unsigned char* element, Type type, T value) {
  if (type == Type::kDouble) {
    const auto wide = static_cast<double>(value);
    std::memcpy(element, &wide, sizeof(wide));
  } else {
    store_float(element, type, static_cast<float>(value));
  }
  make_nan_canonical(element, type);
}

// Calls body(n, c, d, h, w) for every element.
template <typename Body>
void each_element(const View& view, Body body) {
  for (std::int64_t n = 0; n < view.size[0]; ++n)
    for (std::int64_t c = 0; c < view.size[1]; ++c)
      for (std::int64_t d = 0; d < view.size[2]; ++d)
        for (std::int64_t h = 0; h < view.size[3]; ++h)
          for (std::int64_t w = 0; w < view.size[4]; ++w) body(n, c, d, h, w);
}

// Calls body(d, h, w) for every position of a box, ascending.
template <typename Body>
void each_position(const Reach& at_d, const Reach& at_h, const Reach& at_w, Body body) {
  for (std::int64_t d = at_d.begin; d < at_d.end; ++d)
    for (std::int64_t h = at_h.begin; h < at_h.end; ++h)
      for (std::int64_t w = at_w.begin; w < at_w.end; ++w) body(d, h, w);
}

const Reach& at(const Reaches& all, std::int64_t i) { return all[static_cast<std::size_t>(i)]; }

template <typename T>
void pool(const View& self, const View& out, const Mean& how) {
  const auto windows = reaches(how, self, out);
  std::vector<T> terms;
  each_element(out, [&](auto n, auto c, auto d, auto h, auto w) {
    const Reach& in_d = at(windows[0], d);
    const Reach& in_h = at(windows[1], h);
    const Reach& in_w = at(windows[2], w);
    terms.clear();
    each_position(in_d, in_h, in_w, [&](auto i, auto j, auto k) {
      terms.push_back(load<T>(self.at(n, c, i, j, k), self.type));
    });
    store(out.at(n, c, d, h, w), out.type, sum_of(terms) / divisor_of<T>(how, in_d, in_h, in_w));
  });
}

// What each window of a plane gives each of its cells, in ascending position.
template <typename T>
std::vector<T> shares_of(const View& grad_output, const Mean& how, const std::array<Reaches, 3>& windows,
                         std::int64_t n, std::int64_t c) {
  std::vector<T> shares;
  shares.reserve(static_cast<std::size_t>(grad_output.plane()));
  for (std::int64_t d = 0; d < grad_output.size[2]; ++d)
    for (std::int64_t h = 0; h < grad_output.size[3]; ++h)
      for (std::int64_t w = 0; w < grad_output.size[4]; ++w)
        shares.push_back(load<T>(grad_output.at(n, c, d, h, w), grad_output.type) /
                         divisor_of<T>(how, at(windows[0], d), at(windows[1], h), at(windows[2], w)));
  return shares;
}

template <typename T>
void pool_backward(const View& grad_output, const View& grad_input, const Mean& how) {
  const auto windows = reaches(how, grad_input, grad_output);
  std::array<Reaches, 3> held;
  for (std::size_t axis = 0; axis < 3; ++axis) held[axis] = holding(windows[axis], grad_input.size[axis + 2]);
  std::vector<T> shares;
  std::vector<T> terms;
  each_element(grad_input, [&](auto n, auto c, auto d, auto h, auto w) {
    if (d == 0 && h == 0 && w == 0) shares = shares_of<T>(grad_output, how, windows, n, c);
    terms.clear();
    each_position(at(held[0], d), at(held[1], h), at(held[2], w), [&](auto i, auto j, auto k) {
      terms.push_back(
          shares[static_cast<std::size_t>((i * grad_output.size[3] + j) * grad_output.size[4] + k)]);
    });
    store(grad_input.at(n, c, d, h, w), grad_input.type, sum_of(terms));
  });
}

}  // namespace

void mean_pool(const View& self, const View& out, const Mean& how) {
  if (self.type == Type::kDouble) return pool<double>(self, out, how);
  pool<float>(self, out, how);
}

void mean_pool_backward(const View& grad_output, const View& grad_input, const Mean& how) {
  if (grad_input.type == Type::kDouble) return pool_backward<double>(grad_output, grad_input, how);
  pool_backward<float>(grad_output, grad_input, how);
}

}  // namespace reference
